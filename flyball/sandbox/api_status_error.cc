#include "flyball/sandbox/api_status_error.h"

#include <algorithm>

namespace flyball::sandbox {
namespace {

using meta::v1::Status;
using meta::v1::StatusCause;

/// As Go's %q writes it, which unlike its JSON leaves `<` and its like as they are.
std::string Quoted(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (c == '\n') {
      quoted += "\\n";
    } else if (c == '\t') {
      quoted += "\\t";
    } else if (c == '\r') {
      quoted += "\\r";
    } else if (const auto byte = static_cast<unsigned char>(c); byte < 0x20 || byte == 0x7f) {
      quoted += "\\x";
      quoted += kDigits[byte >> 4];
      quoted += kDigits[byte & 15];
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string Qualified(ResourceName resource) {
  std::string name(resource.plural);
  if (!resource.group.empty()) name += "." + std::string(resource.group);
  return name;
}

Status Failure(int code, std::string_view reason, std::string message) {
  Status status;
  status.status = "Failure";
  status.code = code;
  status.reason = reason;
  status.message = std::move(message);
  return status;
}

Status About(ResourceName resource, std::string_view name, int code, std::string_view reason,
             std::string message) {
  Status status = Failure(code, reason, std::move(message));
  auto& details = status.details.emplace();
  details.name = name;
  details.group = resource.group;
  details.kind = resource.plural;
  return status;
}

std::string_view TitleOf(FieldError::Kind kind) {
  switch (kind) {
    case FieldError::Kind::kRequired:
      return "Required value";
    case FieldError::Kind::kInvalid:
    case FieldError::Kind::kTypeInvalid:
      return "Invalid value";
    case FieldError::Kind::kNotSupported:
      return "Unsupported value";
    case FieldError::Kind::kForbidden:
      return "Forbidden";
    case FieldError::Kind::kDuplicate:
      return "Duplicate value";
    case FieldError::Kind::kNotFound:
      return "Not found";
    case FieldError::Kind::kTooLong:
      return "Too long";
    case FieldError::Kind::kTooMany:
      return "Too many";
    case FieldError::Kind::kInternal:
      break;
  }
  return "Internal error";
}

std::string_view ReasonOf(FieldError::Kind kind) {
  switch (kind) {
    case FieldError::Kind::kRequired:
      return "FieldValueRequired";
    case FieldError::Kind::kInvalid:
      return "FieldValueInvalid";
    case FieldError::Kind::kTypeInvalid:
      return "FieldValueTypeInvalid";
    case FieldError::Kind::kNotSupported:
      return "FieldValueNotSupported";
    case FieldError::Kind::kForbidden:
      return "FieldValueForbidden";
    case FieldError::Kind::kDuplicate:
      return "FieldValueDuplicate";
    case FieldError::Kind::kNotFound:
      return "FieldValueNotFound";
    case FieldError::Kind::kTooLong:
      return "FieldValueTooLong";
    case FieldError::Kind::kTooMany:
      return "FieldValueTooMany";
    case FieldError::Kind::kInternal:
      break;
  }
  return "InternalError";
}

/// One error as it is; several, without repetitions, in brackets.
std::string Joined(const FieldErrors& errors) {
  std::vector<std::string> texts;
  for (const FieldError& error : errors) {
    std::string text = error.field + ": " + error.Message();
    if (std::ranges::find(texts, text) == texts.end()) texts.push_back(std::move(text));
  }
  if (texts.size() == 1) return texts.front();
  std::string joined = "[";
  for (const std::string& text : texts) {
    if (joined.size() > 1) joined += ", ";
    joined += text;
  }
  return joined + "]";
}

}  // namespace

ApiStatusError::ApiStatusError(const Error& error) {
  switch (error.code()) {
    case ErrorCode::kBadRequest:
      status_ = BadRequest(error.message()).status();
      break;
    case ErrorCode::kMalformed:
    case ErrorCode::kUnsupported:
    case ErrorCode::kInvalid:
      status_ = BadRequest(error.Describe()).status();
      break;
    case ErrorCode::kConflict: {
      status_ = Failure(409, "Conflict", error.message());
      auto& details = status_.details.emplace();
      for (const ErrorCause& each : error.detail().causes) {
        StatusCause& cause = details.causes.emplace_back();
        cause.reason = each.reason;
        cause.message = each.message;
        cause.field = each.field;
      }
      break;
    }
    case ErrorCode::kGone:
      status_ = Expired(error.message()).status();
      break;
    default:
      status_ = Internal(error.Describe()).status();
  }
}

FieldError FieldError::Required(std::string field, std::string detail) {
  return {Kind::kRequired, std::move(field), {}, std::move(detail)};
}

FieldError FieldError::Invalid(std::string field, std::string_view value, std::string detail) {
  return {Kind::kInvalid, std::move(field), Quoted(value), std::move(detail)};
}

FieldError FieldError::InvalidNumber(std::string field, std::int64_t value, std::string detail) {
  return {Kind::kInvalid, std::move(field), std::to_string(value), std::move(detail)};
}

FieldError FieldError::NotSupported(std::string field, std::string_view value,
                                    const std::vector<std::string_view>& supported) {
  std::string detail;
  for (const std::string_view each : supported) {
    detail += detail.empty() ? "supported values: " : ", ";
    detail += Quoted(each);
  }
  return {Kind::kNotSupported, std::move(field), Quoted(value), std::move(detail)};
}

FieldError FieldError::Forbidden(std::string field, std::string detail) {
  return {Kind::kForbidden, std::move(field), {}, std::move(detail)};
}

FieldError FieldError::Duplicate(std::string field, std::string_view value) {
  return {Kind::kDuplicate, std::move(field), Quoted(value), {}};
}

FieldError FieldError::TooLong(std::string field, std::size_t limit) {
  return {Kind::kTooLong,
          std::move(field),
          {},
          "may not be more than " + std::to_string(limit) + " bytes"};
}

std::string FieldError::Message() const {
  std::string message(TitleOf(kind));
  if (!value.empty()) message += ": " + value;
  if (!detail.empty()) message += ": " + detail;
  return message;
}

ApiStatusError NotFound(ResourceName resource, std::string_view name) {
  return ApiStatusError(About(resource, name, 404, "NotFound",
                              Qualified(resource) + " " + Quoted(name) + " not found"));
}

ApiStatusError AlreadyExists(ResourceName resource, std::string_view name) {
  return ApiStatusError(About(resource, name, 409, "AlreadyExists",
                              Qualified(resource) + " " + Quoted(name) + " already exists"));
}

ApiStatusError NameTaken(ResourceName resource, std::string_view name) {
  Status status = About(resource, name, 409, "AlreadyExists",
                        Qualified(resource) + " " + Quoted(name) +
                            " already exists, the server was not able to generate a unique name "
                            "for the object");
  status.details->retryAfterSeconds = 1;
  return ApiStatusError(std::move(status));
}

ApiStatusError Conflict(ResourceName resource, std::string_view name, std::string_view why) {
  return ApiStatusError(About(resource, name, 409, "Conflict",
                              "Operation cannot be fulfilled on " + Qualified(resource) + " " +
                                  Quoted(name) + ": " + std::string(why)));
}

ApiStatusError Forbidden(ResourceName resource, std::string_view name, std::string_view why) {
  std::string message = Qualified(resource);
  if (!name.empty()) message += " " + Quoted(name);
  message += " is forbidden: " + std::string(why);
  return ApiStatusError(About(resource, name, 403, "Forbidden", std::move(message)));
}

ApiStatusError Invalid(std::string_view group, std::string_view kind, std::string_view name,
                       const FieldErrors& errors) {
  Status status =
      About({group, kind}, name, 422, "Invalid",
            Qualified({group, kind}) + " " + Quoted(name) + " is invalid: " + Joined(errors));
  for (const FieldError& error : errors) {
    StatusCause& cause = status.details->causes.emplace_back();
    cause.reason = ReasonOf(error.kind);
    cause.message = error.Message();
    cause.field = error.field;
  }
  return ApiStatusError(std::move(status));
}

ApiStatusError BadRequest(std::string message) {
  return ApiStatusError(Failure(400, "BadRequest", std::move(message)));
}

ApiStatusError MethodNotAllowed() {
  Status status = Failure(405, "MethodNotAllowed",
                          "the server does not allow this method on the requested resource");
  status.details.emplace();
  return ApiStatusError(std::move(status));
}

ApiStatusError NoSuchResource() {
  Status status = Failure(404, "NotFound", "the server could not find the requested resource");
  status.details.emplace();
  return ApiStatusError(std::move(status));
}

ApiStatusError NotAcceptable(std::string message) {
  Status status = Failure(406, "NotAcceptable", std::move(message));
  if (status.message.starts_with("406")) status.details.emplace();  // PARITY
  return ApiStatusError(std::move(status));
}

ApiStatusError UnsupportedMediaType(std::string message) {
  Status status = Failure(415, "UnsupportedMediaType", std::move(message));
  if (status.message.starts_with("415")) status.details.emplace();  // PARITY
  return ApiStatusError(std::move(status));
}

ApiStatusError Unauthorized() {
  return ApiStatusError(Failure(401, "Unauthorized", "Unauthorized"));
}

ApiStatusError TooLarge(std::string message) {
  return ApiStatusError(Failure(413, "RequestEntityTooLarge", std::move(message)));
}

ApiStatusError TooManyRequests(std::string message, int retry_after_seconds,
                               std::vector<StatusCause> causes) {
  Status status = Failure(429, "TooManyRequests", std::move(message));
  auto& details = status.details.emplace();
  details.retryAfterSeconds = retry_after_seconds;
  details.causes = std::move(causes);
  return ApiStatusError(std::move(status));
}

ApiStatusError Expired(std::string message) {
  return ApiStatusError(Failure(410, "Expired", std::move(message)));
}

ApiStatusError TooLargeResourceVersion(std::int64_t asked, std::int64_t current) {
  Status status = Failure(504, "Timeout",
                          "Timeout: Too large resource version: " + std::to_string(asked) +
                              ", current: " + std::to_string(current));
  auto& details = status.details.emplace();
  details.retryAfterSeconds = 1;
  StatusCause& cause = details.causes.emplace_back();
  cause.reason = "ResourceVersionTooLarge";
  cause.message = "Too large resource version";
  return ApiStatusError(std::move(status));
}

ApiStatusError Internal(std::string message) {
  return ApiStatusError(
      Failure(500, "InternalError", "Internal error occurred: " + std::move(message)));
}

ApiStatusError Unexplained(std::string message) {
  return ApiStatusError(Failure(500, "", std::move(message)));
}

}  // namespace flyball::sandbox

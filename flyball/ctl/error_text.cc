#include "flyball/ctl/error_text.h"

#include <algorithm>
#include <string_view>

namespace flyball::ctl {
namespace {

/// The reason that an API server gives for a refusal of this code. Where it has two, the usual one.
std::string_view ReasonOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUnauthorized:
      return "Unauthorized";
    case ErrorCode::kForbidden:
      return "Forbidden";
    case ErrorCode::kNotFound:
    case ErrorCode::kNotServed:
      return "NotFound";
    case ErrorCode::kAlreadyExists:
      return "AlreadyExists";
    case ErrorCode::kConflict:
      return "Conflict";
    case ErrorCode::kGone:
      return "Expired";
    case ErrorCode::kInvalid:
      return "Invalid";
    case ErrorCode::kBadRequest:
      return "BadRequest";
    case ErrorCode::kMethodNotAllowed:
      return "MethodNotAllowed";
    case ErrorCode::kNotAcceptable:
      return "NotAcceptable";
    case ErrorCode::kUnsupportedMediaType:
      return "UnsupportedMediaType";
    case ErrorCode::kTooLarge:
      return "RequestEntityTooLarge";
    case ErrorCode::kTooManyRequests:
      return "TooManyRequests";
    case ErrorCode::kServerTimeout:
      return "Timeout";
    case ErrorCode::kInternal:
      return "InternalError";
    case ErrorCode::kUnavailable:
      return "ServiceUnavailable";
    default:
      return {};
  }
}

/// `Deployment.apps "web"` at the start of a refusal, as `Deployment "web"`; empty if there is
/// none.
std::string SubjectOf(std::string_view message) {
  const std::size_t end = message.find("\" is invalid");
  if (end == std::string_view::npos) return {};
  const std::size_t quote = message.rfind(" \"", end - 1);
  if (quote == std::string_view::npos) return {};
  std::string_view kind = message.substr(0, quote);
  // What was done when it was refused stands before it.
  kind.remove_prefix(kind.rfind(' ') + 1);
  return std::string(kind.substr(0, kind.find('.'))) +
         std::string(message.substr(quote, end + 1 - quote));
}

std::string InvalidText(const Error& error) {
  const std::string subject = SubjectOf(error.message());
  std::string text = subject.empty() ? "The request is invalid" : "The " + subject + " is invalid";
  std::vector<std::string> causes;
  for (const ErrorCause& cause : error.detail().causes) {
    std::string line = cause.field + ": " + cause.message;
    if (std::ranges::find(causes, line) == causes.end()) causes.push_back(std::move(line));
  }
  if (causes.empty()) return subject.empty() ? text + ": " + error.message() : text;
  if (causes.size() == 1) return text + ": " + causes.front();
  text += ": ";
  for (const std::string& cause : causes) text += "\n* " + cause;
  return text;
}

/// Without "error: ", which stands before a single one only.
std::string MessageOf(const Error& error) {
  if (error.code() == ErrorCode::kUnauthorized) {
    return "error: You must be logged in to the server (" + error.message() + ")";
  }
  if (IsFromServer(error)) {
    return "Error from server (" + std::string(ReasonOf(error.code())) + "): " + error.message();
  }
  if (error.code() == ErrorCode::kIo) return "Unable to connect to the server: " + error.message();
  return error.message();
}

}  // namespace

bool IsFromServer(const Error& error) { return !ReasonOf(error.code()).empty(); }

std::string ErrorText(std::span<const Error> errors) {
  std::string text;
  if (errors.size() == 1) {
    const Error& error = errors.front();
    if (error.code() == ErrorCode::kInvalid) {
      text = InvalidText(error);
    } else {
      text = MessageOf(error);
      const bool ours = !IsFromServer(error) && error.code() != ErrorCode::kIo;
      if (ours && !text.starts_with("error: ")) text.insert(0, "error: ");
    }
    text += "\n";
    return text;
  }
  for (const Error& error : errors) text += MessageOf(error) + "\n";
  return text;
}

Error WithSource(const Error& error, std::string_view doing, std::string_view source) {
  if (source.empty()) return error;
  return error.Wrap("error when " + std::string(doing) + " \"" + std::string(source) + "\"");
}

}  // namespace flyball::ctl

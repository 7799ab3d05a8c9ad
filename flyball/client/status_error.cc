#include "flyball/client/status_error.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "flyball/api/envelope.h"
#include "flyball/api/json_decode.h"
#include "flyball/api/protobuf_decode.h"
#include "flyball/client/internal/redaction.h"

namespace flyball::client {
namespace {

struct Reason {
  std::string_view name;
  ErrorCode code;
};

constexpr Reason kReasons[] = {
    {"Unauthorized", ErrorCode::kUnauthorized},
    {"Forbidden", ErrorCode::kForbidden},
    {"NotFound", ErrorCode::kNotFound},
    {"AlreadyExists", ErrorCode::kAlreadyExists},
    {"Conflict", ErrorCode::kConflict},
    {"Gone", ErrorCode::kGone},
    {"Expired", ErrorCode::kGone},
    {"Invalid", ErrorCode::kInvalid},
    {"BadRequest", ErrorCode::kBadRequest},
    {"MethodNotAllowed", ErrorCode::kMethodNotAllowed},
    {"NotAcceptable", ErrorCode::kNotAcceptable},
    {"UnsupportedMediaType", ErrorCode::kUnsupportedMediaType},
    {"RequestEntityTooLarge", ErrorCode::kTooLarge},
    {"TooManyRequests", ErrorCode::kTooManyRequests},
    {"ServerTimeout", ErrorCode::kServerTimeout},
    {"Timeout", ErrorCode::kServerTimeout},
    {"InternalError", ErrorCode::kInternal},
    {"StoreReadError", ErrorCode::kInternal},
    {"ServiceUnavailable", ErrorCode::kUnavailable},
};

/// `creating` tells what a conflict is about.
ErrorCode CodeOfHttp(int status, bool creating) {
  switch (status) {
    case 400:
      return ErrorCode::kBadRequest;
    case 401:
      return ErrorCode::kUnauthorized;
    case 403:
      return ErrorCode::kForbidden;
    case 404:
      return ErrorCode::kNotServed;
    case 405:
      return ErrorCode::kMethodNotAllowed;
    case 406:
      return ErrorCode::kNotAcceptable;
    case 409:
      return creating ? ErrorCode::kAlreadyExists : ErrorCode::kConflict;
    case 410:
      return ErrorCode::kGone;
    case 413:
      return ErrorCode::kTooLarge;
    case 415:
      return ErrorCode::kUnsupportedMediaType;
    case 422:
      return ErrorCode::kInvalid;
    case 429:
      return ErrorCode::kTooManyRequests;
    case 502:
    case 503:
      return ErrorCode::kUnavailable;
    case 504:
      return ErrorCode::kServerTimeout;
    default:
      return status >= 500 ? ErrorCode::kInternal : ErrorCode::kBadRequest;
  }
}

std::optional<meta::v1::Status> ReadStatus(const transport::Response& response) {
  if (api::HasProtobufMagic(response.body)) {
    const auto envelope = api::OpenEnvelope(response.body);
    if (!envelope || envelope->kind != "Status") return std::nullopt;
    auto status = api::DecodeProtobuf<meta::v1::Status>(envelope->raw);
    if (status) return *std::move(status);
    return std::nullopt;
  }
  auto status = api::DecodeJson<meta::v1::Status>(response.body);
  if (status && status->kind == "Status") return *std::move(status);
  return std::nullopt;
}

/// The start of a body that is not ours, on one line. Some show the request that they refuse, with
/// all its headers.
std::string Excerpt(std::string_view body) {
  constexpr std::size_t kMostRead = 2000;
  constexpr std::size_t kMostShown = 200;
  std::string text(body.substr(0, kMostRead));
  std::ranges::replace_if(text, [](unsigned char c) { return c < ' ' || c >= 0x7f; }, ' ');
  text = Redactor().Redact(text);
  if (text.size() > kMostShown) text.replace(kMostShown, std::string::npos, "...");
  return text;
}

std::chrono::seconds RetryAfter(const transport::Headers& headers) {
  const std::string_view text = transport::FindHeader(headers, "retry-after");
  std::int32_t seconds = 0;
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  return std::chrono::seconds(std::max(seconds, 0));
}

/// Whether a Status says of the object that it is not there. One that names none, or another, tells
/// of a path or a subresource that is not served. A POST is about a collection, and what it misses
/// is its namespace.
bool NamesWhatIsAbsent(const meta::v1::Status& status, const RestRequest& request) {
  if (!status.details || status.details->name.empty()) return false;
  return request.name.empty() || status.details->name == request.name;
}

/// What the status line and the body say.
Error WithoutHeaders(const transport::Response& response, const RestRequest& request) {
  if (auto status = ReadStatus(response); status && status->status != "Success") {
    if (status->code == 0) status->code = response.status;
    Error error = ErrorOf(*status, request.asked).With(RequestFate::kRefused);
    if (error.code() != ErrorCode::kNotFound || NamesWhatIsAbsent(*status, request)) return error;
    Error not_served = Error(ErrorCode::kNotServed, error.message()).With(error.fate());
    not_served.set_detail(error.detail());
    return not_served;
  }
  std::string text = request.asked + ": status " + std::to_string(response.status);
  if (!response.body.empty()) text += ": " + Excerpt(response.body);
  return Error(CodeOfHttp(response.status, request.method == "POST"), std::move(text))
      .With(RequestFate::kRefusedByProxy);
}

/// Whether the answer leaves it open if a write was carried out. Whatever the body says: it may be
/// a proxy's, which has passed the write on and then lost the server or its patience, or the
/// server's own after it has lost etcd.
bool LeavesDoubt(int status) {
  constexpr int kRequestTimeout = 408;
  constexpr int kClientClosedRequest = 499;  // a proxy's
  return status >= 500 || status == kRequestTimeout || status == kClientClosedRequest;
}

}  // namespace

Error ErrorOf(const meta::v1::Status& status, std::string_view asked) {
  const auto* const reason = std::ranges::find(kReasons, status.reason, &Reason::name);
  const ErrorCode code =
      reason == std::end(kReasons) ? CodeOfHttp(status.code, false) : reason->code;
  // The server's words stay as they are: they go into events and conditions, where upstream's
  // users, and their alerts, know them.
  std::string text = status.message;
  if (text.empty()) {
    text = asked.empty() ? "" : std::string(asked) + ": ";
    text += "the server gives no reason";
  }
  Error error(code, std::move(text));
  if (!status.details) return error;
  ErrorDetail detail;
  detail.retry_after = std::chrono::seconds(std::max(status.details->retryAfterSeconds, 0));
  for (const auto& cause : status.details->causes) {
    detail.causes.push_back({cause.reason, cause.field, cause.message});
  }
  error.set_detail(std::move(detail));
  return error;
}

Error ErrorOf(const transport::Response& response, const RestRequest& request) {
  Error error = WithoutHeaders(response, request);
  if (request.method != "GET" && LeavesDoubt(response.status)) {
    error.set_fate(RequestFate::kUnknown);
  }
  const std::chrono::seconds retry_after = RetryAfter(response.headers);
  if (retry_after.count() == 0) return error;
  ErrorDetail detail = error.detail();
  detail.retry_after = retry_after;
  error.set_detail(std::move(detail));
  return error;
}

}  // namespace flyball::client

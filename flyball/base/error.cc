#include "flyball/base/error.h"

namespace flyball {

std::string_view ToString(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUnauthorized:
      return "unauthorized";
    case ErrorCode::kForbidden:
      return "forbidden";
    case ErrorCode::kNotFound:
      return "not found";
    case ErrorCode::kNotServed:
      return "not served";
    case ErrorCode::kAlreadyExists:
      return "already exists";
    case ErrorCode::kConflict:
      return "conflict";
    case ErrorCode::kGone:
      return "gone";
    case ErrorCode::kInvalid:
      return "invalid";
    case ErrorCode::kBadRequest:
      return "bad request";
    case ErrorCode::kMethodNotAllowed:
      return "method not allowed";
    case ErrorCode::kNotAcceptable:
      return "not acceptable";
    case ErrorCode::kUnsupportedMediaType:
      return "unsupported media type";
    case ErrorCode::kTooLarge:
      return "too large";
    case ErrorCode::kTooManyRequests:
      return "too many requests";
    case ErrorCode::kServerTimeout:
      return "server timeout";
    case ErrorCode::kInternal:
      return "internal";
    case ErrorCode::kUnavailable:
      return "unavailable";
    case ErrorCode::kMalformed:
      return "malformed";
    case ErrorCode::kUnsupported:
      return "unsupported";
    case ErrorCode::kTimeout:
      return "timeout";
    case ErrorCode::kCancelled:
      return "cancelled";
    case ErrorCode::kIo:
      return "i/o";
  }
  return "unknown";
}

std::string Error::Describe() const {
  std::string text(ToString(code_));
  if (!path_.empty()) text.append(": ").append(path_);
  if (!message_.empty()) text.append(": ").append(message_);
  return text;
}

const ErrorDetail& Error::detail() const {
  static const ErrorDetail kNone;
  return detail_ ? *detail_ : kNone;
}

Error Error::Wrap(std::string_view outer) const {
  Error wrapped(code_, path_, std::string(outer) + ": " + message_);
  wrapped.fate_ = fate_;
  wrapped.detail_ = detail_;
  return wrapped;
}

}  // namespace flyball

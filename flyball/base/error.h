#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flyball {

/// Every way in which an operation of Flyball can fail. The set is closed: code branches on these
/// and never on an error's text. The first block mirrors the reasons an API server gives; the
/// second is what happens on our own side of the wire.
enum class ErrorCode : std::uint8_t {
  kUnauthorized,
  kForbidden,
  kNotFound,   ///< the API server says that there is no such object
  kNotServed,  ///< a 404 that does not say so of the object: a path that is not served, a proxy's
  kAlreadyExists,
  kConflict,
  kGone,
  kInvalid,
  kBadRequest,
  kMethodNotAllowed,
  kNotAcceptable,
  kUnsupportedMediaType,
  kTooLarge,
  kTooManyRequests,
  kServerTimeout,
  kInternal,
  kUnavailable,

  kMalformed,    ///< bytes or text that do not parse; the message names the place
  kUnsupported,  ///< well formed, but a kind, version or feature that this build does not know
  kTimeout,      ///< a deadline of ours passed; whether the server acted is not known
  kCancelled,    ///< the caller, or a shutdown, gave up waiting
  kIo,           ///< a file, socket or process failed
};

std::string_view ToString(ErrorCode code);

/// The fate of the request that an error is about. Whether a write may have been carried out is
/// decided by this, and by nothing else.
enum class RequestFate : std::uint8_t {
  kNotSent,         ///< it never left this process, or there was no request
  kUnknown,         ///< it left: the server may have carried it out, or may still do so
  kRefused,         ///< the API server says that it has not carried it out
  kRefusedByProxy,  ///< something on the way to the API server refused it
};

/// One of several reasons for a refusal: of a field, mostly.
struct ErrorCause {
  std::string reason;  ///< "FieldValueInvalid"
  std::string field;   ///< "spec.replicas"
  std::string message;
  friend bool operator==(const ErrorCause&, const ErrorCause&) = default;
};

/// What a server's answer tells apart from the code.
struct ErrorDetail {
  std::chrono::seconds retry_after = {};  ///< when it is worth asking again; zero: it did not say
  /// With RequestFate::kUnknown: for how long from now on the server may still carry it out.
  std::chrono::nanoseconds unsettled_for = {};
  std::vector<ErrorCause> causes = {};
  friend bool operator==(const ErrorDetail&, const ErrorDetail&) = default;
};

/// Why something failed: a code to branch on and a sentence for a person. For input that does not
/// parse, `path` is where in the object ("spec.containers[2].image"), and is part of Describe().
class Error {
 public:
  Error(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}
  Error(ErrorCode code, std::string path, std::string message)
      : code_(code), path_(std::move(path)), message_(std::move(message)) {}

  ErrorCode code() const { return code_; }
  const std::string& path() const { return path_; }
  const std::string& message() const { return message_; }
  const ErrorDetail& detail() const;
  void set_detail(ErrorDetail detail) {
    detail_ = std::make_shared<const ErrorDetail>(std::move(detail));
  }
  RequestFate fate() const { return fate_; }
  void set_fate(RequestFate fate) { fate_ = fate; }
  Error With(RequestFate fate) && {
    fate_ = fate;
    return std::move(*this);
  }

  /// "malformed: spec.containers[2].image: not a string".
  std::string Describe() const;

  /// The same error seen from further out: `outer` is put before the message's text.
  Error Wrap(std::string_view outer) const;

  friend bool operator==(const Error& a, const Error& b) {
    return a.code_ == b.code_ && a.path_ == b.path_ && a.message_ == b.message_ &&
           a.fate_ == b.fate_ && a.detail() == b.detail();
  }

 private:
  ErrorCode code_;
  RequestFate fate_ = RequestFate::kNotSent;
  std::string path_;
  std::string message_;
  std::shared_ptr<const ErrorDetail> detail_;  // null: none
};

}  // namespace flyball

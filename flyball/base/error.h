#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace flyball {

/// Every way in which an operation of Flyball can fail. The set is closed: code branches on these
/// and never on an error's text. The first block mirrors the reasons an API server gives; the
/// second is what happens on our own side of the wire.
enum class ErrorCode : std::uint8_t {
  kUnauthorized,
  kForbidden,
  kNotFound,
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

  /// "malformed: spec.containers[2].image: not a string".
  std::string Describe() const;

  /// The same error seen from further out: `outer` is put before the message's text.
  Error Wrap(std::string_view outer) const;

  friend bool operator==(const Error&, const Error&) = default;

 private:
  ErrorCode code_;
  std::string path_;
  std::string message_;
};

}  // namespace flyball

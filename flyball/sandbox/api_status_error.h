#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flyball/api/meta/v1.h"
#include "flyball/base/error.h"

/// Errors of the API server, with kube-apiserver's reasons and messages: clients branch on the
/// reasons, and people search for the messages.
namespace flyball::sandbox {

/// The Status that a refused request is answered with.
class ApiStatusError {
 public:
  explicit ApiStatusError(meta::v1::Status status) : status_(std::move(status)) {}
  /// What our own parts say of bad input is the caller's fault, everything else the server's.
  ApiStatusError(const Error& error);  // NOLINT(google-explicit-constructor): for FLYBALL_TRY

  const meta::v1::Status& status() const { return status_; }
  int code() const { return status_.code; }

 private:
  meta::v1::Status status_;
};

template <typename T = void>
using StatusOr = std::expected<T, ApiStatusError>;

/// What is wrong with one field.
struct FieldError {
  enum class Kind : std::uint8_t {
    kRequired,
    kInvalid,
    kNotSupported,
    kForbidden,
    kDuplicate,
    kNotFound,
    kTooLong,
    kTooMany,
    kTypeInvalid,
    kInternal,
  };
  Kind kind = Kind::kInvalid;
  std::string field;   ///< "spec.containers[0].name"
  std::string value;   ///< as JSON text: what is wrong; empty where that is not shown
  std::string detail;  ///< why

  static FieldError Required(std::string field, std::string detail);
  /// `value` is shown in quotes.
  static FieldError Invalid(std::string field, std::string_view value, std::string detail);
  static FieldError InvalidNumber(std::string field, std::int64_t value, std::string detail);
  static FieldError NotSupported(std::string field, std::string_view value,
                                 const std::vector<std::string_view>& supported);
  static FieldError Forbidden(std::string field, std::string detail);
  static FieldError Duplicate(std::string field, std::string_view value);
  static FieldError TooLong(std::string field, std::size_t limit);

  /// "Invalid value: \"A\": must be lower case".
  std::string Message() const;
  friend bool operator==(const FieldError&, const FieldError&) = default;
};
using FieldErrors = std::vector<FieldError>;

/// The resource that an error is about: "pods", "deployments.apps".
struct ResourceName {
  std::string_view group;
  std::string_view plural;
};

ApiStatusError NotFound(ResourceName resource, std::string_view name);
ApiStatusError AlreadyExists(ResourceName resource, std::string_view name);
/// A generated name that was taken: worth another try.
ApiStatusError NameTaken(ResourceName resource, std::string_view name);
ApiStatusError Conflict(ResourceName resource, std::string_view name, std::string_view why);
ApiStatusError Forbidden(ResourceName resource, std::string_view name, std::string_view why);
ApiStatusError Invalid(std::string_view group, std::string_view kind, std::string_view name,
                       const FieldErrors& errors);
ApiStatusError BadRequest(std::string message);
ApiStatusError MethodNotAllowed();
/// No such path.
ApiStatusError NoSuchResource();
ApiStatusError NotAcceptable(std::string message);
ApiStatusError UnsupportedMediaType(std::string message);
ApiStatusError Unauthorized();
ApiStatusError TooLarge(std::string message);
ApiStatusError TooManyRequests(std::string message, int retry_after_seconds,
                               std::vector<meta::v1::StatusCause> causes = {});
/// The history no longer has it.
ApiStatusError Expired(std::string message);
ApiStatusError TooLargeResourceVersion(std::int64_t asked, std::int64_t current);
ApiStatusError Internal(std::string message);
/// What kube-apiserver has no reason for.
ApiStatusError Unexplained(std::string message);

}  // namespace flyball::sandbox

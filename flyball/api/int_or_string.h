#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "flyball/base/result.h"

namespace flyball::api {

/// A number or a text in the same field: a port or its name, a count or a percentage ("25%").
class IntOrString {
 public:
  /// The number 0.
  IntOrString() = default;
  explicit IntOrString(std::int32_t number) : value_(number) {}
  explicit IntOrString(std::string text) : value_(std::move(text)) {}

  /// The number if `text` is one that fits, else the text.
  static IntOrString Parse(std::string_view text);
  /// From the three fields of the protobuf form; `type` 0 picks the number and 1 the text.
  static Result<IntOrString> FromProto(std::int64_t type, std::int32_t number, std::string text);

  bool IsString() const { return std::holds_alternative<std::string>(value_); }
  /// 0 and "" respectively for the one that this does not hold, as upstream's fields are.
  std::int32_t number() const { return IsString() ? 0 : std::get<std::int32_t>(value_); }
  const std::string& text() const;

  std::string ToString() const;
  /// The number, or the text read as one: 0 if it is none, the nearest int64 if it is too large.
  std::int64_t IntValue() const;

  /// A number as it is; a percentage of `total`, rounded up or down. Any other text is an error:
  /// "25" without its sign just as "a%".
  Result<std::int64_t> ScaledValue(std::int64_t total, bool round_up) const;

  friend bool operator==(const IntOrString&, const IntOrString&) = default;

 private:
  std::variant<std::int32_t, std::string> value_;
};

}  // namespace flyball::api

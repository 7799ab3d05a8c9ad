#include "flyball/api/internal/json_equality.h"

#include <algorithm>

namespace flyball::api {
namespace {

/// Not by making a double of the whole number, which has more digits than a double keeps.
bool SameNumber(std::int64_t whole, double number) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (number < -kLimit || number >= kLimit) return false;
  const auto truncated = static_cast<std::int64_t>(number);
  return truncated == whole && static_cast<double>(truncated) == number;
}

}  // namespace

bool SameJson(const Json& a, const Json& b) {
  const auto* left_array = a.If<Json::Array>();
  const auto* right_array = b.If<Json::Array>();
  if (left_array && right_array) return std::ranges::equal(*left_array, *right_array, SameJson);
  const auto* left_object = a.If<Json::Object>();
  const auto* right_object = b.If<Json::Object>();
  if (left_object && right_object) {
    return std::ranges::equal(*left_object, *right_object, [](const auto& x, const auto& y) {
      return x.first == y.first && SameJson(x.second, y.second);
    });
  }
  const auto* left_whole = a.If<std::int64_t>();
  const auto* right_whole = b.If<std::int64_t>();
  if (left_whole && b.If<double>()) return SameNumber(*left_whole, *b.If<double>());
  if (right_whole && a.If<double>()) return SameNumber(*right_whole, *a.If<double>());
  return a == b;
}

}  // namespace flyball::api

#include "flyball/sandbox/apply/value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "flyball/base/log_format.h"

namespace flyball::sandbox::apply {
namespace {

/// Where a value stands among those of other kinds. Numbers are one kind.
int Rank(const Json& value) {
  if (value.If<std::int64_t>() != nullptr || value.If<double>() != nullptr) return 0;
  if (value.If<std::string>() != nullptr) return 1;
  if (value.If<bool>() != nullptr) return 2;
  if (value.If<Json::Array>() != nullptr) return 3;
  if (value.If<Json::Object>() != nullptr) return 4;
  return 5;
}

double AsDouble(const Json& number) {
  const auto* whole = number.If<std::int64_t>();
  return whole != nullptr ? static_cast<double>(*whole) : *number.If<double>();
}

template <typename T>
int Order(const T& a, const T& b) {
  if (a < b) return -1;
  return b < a ? 1 : 0;
}

int CompareNumbers(const Json& a, const Json& b) {
  const auto* whole_a = a.If<std::int64_t>();
  const auto* whole_b = b.If<std::int64_t>();
  if (whole_a != nullptr && whole_b != nullptr) return Order(*whole_a, *whole_b);
  return Order(AsDouble(a), AsDouble(b));
}

int CompareLists(const Json::Array& a, const Json::Array& b) {
  const std::size_t shared = std::min(a.size(), b.size());
  for (std::size_t i = 0; i < shared; ++i) {
    if (const int order = CompareValues(a[i], b[i]); order != 0) return order;
  }
  return Order(a.size(), b.size());
}

/// Goes through the names of both in their order. What has a name that the other has not is the
/// smaller, as long as neither has come to its end.
int CompareMaps(const Json::Object& a, const Json::Object& b) {
  auto in_a = a.begin();
  auto in_b = b.begin();
  for (std::size_t i = 0; in_a != a.end() || in_b != b.end(); ++i) {
    if (i == a.size()) return -1;
    if (i == b.size()) return 1;
    if (in_b == b.end() || (in_a != a.end() && in_a->first < in_b->first)) return -1;
    if (in_a == a.end() || in_b->first < in_a->first) return 1;
    if (const int order = CompareValues(in_a->second, in_b->second); order != 0) return order;
    ++in_a;
    ++in_b;
  }
  return 0;
}

/// Go's %v of a float64: the shortest digits that read back, with an exponent from 1e6 on and below
/// 1e-4.
std::string PrintDouble(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Inf" : "+Inf";
  char text[400];
  const auto scientific =
      std::to_chars(text, text + sizeof text, value, std::chars_format::scientific);
  const std::string_view digits(text, scientific.ptr);
  int exponent = 0;
  const char* const after_e = text + digits.find('e') + 1;
  std::from_chars(after_e + (*after_e == '+' ? 1 : 0), scientific.ptr, exponent);
  if (exponent < -4 || exponent >= 6) return std::string(digits);
  const auto fixed = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed);
  return {text, fixed.ptr};
}

std::string PrintNumber(const Json& value) {
  const auto* whole = value.If<std::int64_t>();
  return whole != nullptr ? std::to_string(*whole) : PrintDouble(*value.If<double>());
}

}  // namespace

bool SameValue(const Json& a, const Json& b) {
  if (const auto* list = a.If<Json::Array>()) {
    const auto* other = b.If<Json::Array>();
    return other != nullptr && std::ranges::equal(*list, *other, SameValue);
  }
  if (const auto* map = a.If<Json::Object>()) {
    const auto* other = b.If<Json::Object>();
    return other != nullptr &&
           std::ranges::equal(*map, *other, [](const auto& entry, const auto& other_entry) {
             return entry.first == other_entry.first && SameValue(entry.second, other_entry.second);
           });
  }
  const int rank = Rank(a);
  if (rank != Rank(b)) return false;
  return rank == 0 ? CompareNumbers(a, b) == 0 : a == b;
}

int CompareValues(const Json& a, const Json& b) {
  const int rank = Rank(a);
  if (const int order = Order(rank, Rank(b)); order != 0) return order;
  switch (rank) {
    case 0:
      return CompareNumbers(a, b);
    case 1:
      return Order(*a.If<std::string>(), *b.If<std::string>());
    case 2:
      return Order(*a.If<bool>(), *b.If<bool>());
    case 3:
      return CompareLists(*a.If<Json::Array>(), *b.If<Json::Array>());
    case 4:
      return CompareMaps(*a.If<Json::Object>(), *b.If<Json::Object>());
    default:
      return 0;
  }
}

std::string DescribeValue(const Json& value) {
  if (const auto* text = value.If<std::string>()) {
    std::string quoted;
    AppendGoQuoted(quoted, *text);
    return quoted;
  }
  std::string out;
  if (const auto* list = value.If<Json::Array>()) {
    for (const Json& item : *list) out += (out.empty() ? "[" : ",") + DescribeValue(item);
    return out.empty() ? "[]" : out + "]";
  }
  if (const auto* map = value.If<Json::Object>()) {
    for (const auto& [name, member] : *map) out += name + "=" + DescribeValue(member);
    return out;
  }
  if (value.IsNull()) return "null";
  return PrintValue(value);
}

std::string PrintValue(const Json& value) {
  if (const auto* text = value.If<std::string>()) return *text;
  if (const auto* flag = value.If<bool>()) return *flag ? "true" : "false";
  std::string out;
  if (const auto* list = value.If<Json::Array>()) {
    for (const Json& item : *list) out += (out.empty() ? "" : " ") + PrintValue(item);
    return "[" + out + "]";
  }
  if (const auto* map = value.If<Json::Object>()) {
    for (const auto& [name, member] : *map) {
      out += (out.empty() ? "" : " ") + name + ":" + PrintValue(member);
    }
    return "map[" + out + "]";
  }
  return value.IsNull() ? "<nil>" : PrintNumber(value);
}

std::string_view GoTypeName(const Json& value) {
  if (value.If<std::int64_t>() != nullptr) return "int64";
  if (value.If<double>() != nullptr) return "float64";
  if (value.If<std::string>() != nullptr) return "string";
  if (value.If<bool>() != nullptr) return "bool";
  if (value.If<Json::Array>() != nullptr) return "[]interface {}";
  return value.IsNull() ? "<nil>" : "map[string]interface {}";
}

}  // namespace flyball::sandbox::apply

#include "flyball/api/internal/go_text.h"

#include <array>
#include <charconv>
#include <string_view>

namespace flyball::api {
namespace {

std::string FloatText(double value) {
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::general);
  return {buffer.data(), end.ptr};
}

/// What is neither a string nor made of other values; its Go type in `type`.
std::string ScalarText(const Json& value, std::string_view& type) {
  if (const auto* number = value.If<std::int64_t>()) {
    type = "int64";
    return std::to_string(*number);
  }
  if (const auto* number = value.If<double>()) {
    type = "float64";
    return FloatText(*number);
  }
  if (const auto* flag = value.If<bool>()) {
    type = "bool";
    return *flag ? "true" : "false";
  }
  return "<nil>";
}

void Append(std::string& text, const Json& value, bool as_string) {
  if (const auto* string = value.If<std::string>()) {
    text += *string;
    return;
  }
  if (const auto* array = value.If<Json::Array>()) {
    text += '[';
    for (std::size_t i = 0; i < array->size(); ++i) {
      if (i > 0) text += ' ';
      Append(text, (*array)[i], as_string);
    }
    text += ']';
    return;
  }
  if (const auto* object = value.If<Json::Object>()) {
    text += "map[";
    bool first = true;
    for (const auto& [name, member] : *object) {
      if (!first) text += ' ';
      first = false;
      text.append(name).append(":");
      Append(text, member, as_string);
    }
    text += ']';
    return;
  }
  std::string_view type;
  const std::string scalar = ScalarText(value, type);
  if (as_string && !type.empty()) {
    text.append("%!s(").append(type).append("=").append(scalar).append(")");
  } else {
    text += scalar;
  }
}

}  // namespace

std::string GoText(const Json& value) {
  std::string text;
  Append(text, value, false);
  return text;
}

std::string GoStringText(const Json& value) {
  if (value.IsNull()) return "%!s(<nil>)";
  std::string text;
  Append(text, value, true);
  return text;
}

}  // namespace flyball::api

#include "tests/scenario/placeholders.h"

#include <charconv>
#include <optional>

namespace flyball::scenario {
namespace {

using api::Json;

std::string TextOf(const Json& value) {
  const auto* const text = value.If<std::string>();
  return text != nullptr ? *text : value.ToString();
}

/// "x*1000" written out.
std::optional<std::string> Repeated(std::string_view name) {
  const auto star = name.find('*');
  if (star == std::string_view::npos || star == 0) return std::nullopt;
  const std::string_view number = name.substr(star + 1);
  std::size_t times = 0;
  const auto read = std::from_chars(number.begin(), number.end(), times);
  if (read.ec != std::errc() || read.ptr != number.end()) return std::nullopt;
  std::string text;
  text.reserve(star * times);
  for (std::size_t i = 0; i < times; ++i) text += name.substr(0, star);
  return text;
}

const Json* Whole(std::string_view text, const Values& values) {
  if (!text.starts_with("$(") || !text.ends_with(')')) return nullptr;
  const auto value = values.find(text.substr(2, text.size() - 3));
  return value == values.end() ? nullptr : &value->second;
}

}  // namespace

std::string FillInText(std::string_view text, const Values& values) {
  std::string filled;
  for (;;) {
    const auto begin = text.find("$(");
    const auto end = text.find(')', begin);
    if (begin == std::string_view::npos || end == std::string_view::npos) break;
    filled += text.substr(0, begin);
    const std::string_view name = text.substr(begin + 2, end - begin - 2);
    if (const auto value = values.find(name); value != values.end()) {
      filled += TextOf(value->second);
    } else if (const auto repeated = Repeated(name)) {
      filled += *repeated;
    } else {
      filled += text.substr(begin, end + 1 - begin);
    }
    text.remove_prefix(end + 1);
  }
  return filled += text;
}

Json FillIn(const Json& tree, const Values& values) {
  if (const auto* const text = tree.If<std::string>()) {
    const Json* const whole = Whole(*text, values);
    return whole != nullptr ? *whole : Json(FillInText(*text, values));
  }
  if (const auto* const list = tree.If<Json::Array>()) {
    Json::Array filled;
    for (const Json& each : *list) filled.push_back(FillIn(each, values));
    return filled;
  }
  if (const auto* const object = tree.If<Json::Object>()) {
    Json::Object filled;
    for (const auto& [name, value] : *object) {
      filled[FillInText(name, values)] = FillIn(value, values);
    }
    return filled;
  }
  return tree;
}

}  // namespace flyball::scenario

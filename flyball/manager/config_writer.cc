#include "flyball/manager/config_writer.h"

#include <array>
#include <charconv>

#include "flyball/api/duration.h"
#include "flyball/base/log_format.h"

namespace flyball::manager {
namespace {

/// A float's own digits: 0.1, and not what 0.1 is as a double.
std::string Digits(float value) {
  std::array<char, 128> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  return {text.data(), end.ptr};
}

}  // namespace

void ConfigWriter::Add(std::string_view name, bool value) {
  json_.Key(name);
  json_.Bool(value);
}

void ConfigWriter::Add(std::string_view name, std::string_view value) {
  json_.Key(name);
  json_.String(value);
}

void ConfigWriter::Add(std::string_view name, std::int32_t value) {
  json_.Key(name);
  json_.Number(std::to_string(value));
}

void ConfigWriter::Add(std::string_view name, float value) {
  json_.Key(name);
  json_.Number(Digits(value));
}

void ConfigWriter::Add(std::string_view name, double value) {
  std::string text;
  AppendDecimal(text, value);
  json_.Key(name);
  json_.Number(text);
}

void ConfigWriter::Add(std::string_view name, std::chrono::nanoseconds value) {
  Add(name, std::string_view(api::FormatDuration(value)));
}

void ConfigWriter::Add(std::string_view name, const std::vector<std::string>& values) {
  json_.Key(name);
  json_.BeginArray();
  for (const std::string& value : values) json_.String(value);
  json_.EndArray();
}

void ConfigWriter::AddNull(std::string_view name) {
  json_.Key(name);
  json_.Null();
}

}  // namespace flyball::manager

#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/json_writer.h"

namespace flyball::manager {

/// Writes the members of /configz, in the order and with the names of upstream's types.
class ConfigWriter {
 public:
  explicit ConfigWriter(api::JsonWriter& json) : json_(json) {}

  void Add(std::string_view name, bool value);
  void Add(std::string_view name, std::string_view value);
  void Add(std::string_view name, const char* value) { Add(name, std::string_view(value)); }
  void Add(std::string_view name, std::int32_t value);
  void Add(std::string_view name, float value);
  void Add(std::string_view name, double value);
  void Add(std::string_view name, std::chrono::nanoseconds value);
  void Add(std::string_view name, const std::vector<std::string>& values);

  /// An object whose members `write(ConfigWriter&)` adds.
  template <typename Write>
  void AddObject(std::string_view name, Write write) {
    json_.Key(name);
    json_.BeginObject();
    write(*this);
    json_.EndObject();
  }

  /// An object a value, whose members `write(ConfigWriter&, value)` adds.
  template <typename Values, typename Write>
  void AddObjects(std::string_view name, const Values& values, Write write) {
    json_.Key(name);
    json_.BeginArray();
    for (const auto& value : values) {
      json_.BeginObject();
      write(*this, value);
      json_.EndObject();
    }
    json_.EndArray();
  }

  void AddNull(std::string_view name);

 private:
  api::JsonWriter& json_;
};

}  // namespace flyball::manager

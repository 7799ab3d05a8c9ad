#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

/// What an unquoted YAML scalar means.
namespace flyball::api {

struct YamlNull {};
struct YamlMerge {};
using YamlScalar =
    std::variant<YamlNull, bool, std::int64_t, std::uint64_t, double, YamlMerge, std::string>;

/// As kubectl reads it: YAML 1.1's booleans (yes, on, y and their like), Go's integer prefixes,
/// underscores in numbers; timestamps stay text; base 60 is not known.
YamlScalar ResolveYamlScalar(std::string_view text);

/// Where the first character stands that YAML text may hold only as an escape (most control
/// characters, byte order marks, U+FFFE and U+FFFF), and how long it is; npos if none does.
/// `text` is UTF-8.
struct YamlUnprintable {
  std::size_t at = std::string_view::npos;
  std::size_t length = 0;
  char32_t code = 0;
};
YamlUnprintable FindYamlUnprintable(std::string_view text);

}  // namespace flyball::api

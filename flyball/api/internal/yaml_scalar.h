#pragma once

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

}  // namespace flyball::api

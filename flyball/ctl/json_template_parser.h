#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "flyball/api/json.h"
#include "flyball/base/result.h"

/// What JsonTemplate makes of its text.
namespace flyball::ctl::json_template {

struct Step;
using Steps = std::vector<Step>;

struct Member {
  std::string name;  // empty: the object itself
};
struct Everything {};
/// Everything below too.
struct Descend {};
struct Slice {
  std::optional<std::int64_t> start = {};  // negative: from the end
  std::optional<std::int64_t> end = {};
  std::int64_t step = 1;
  bool single = false;  // the element at `start`
};
enum class Comparison : std::uint8_t {
  kExists,
  kEqual,
  kNotEqual,
  kLess,
  kMore,
  kAtMost,
  kAtLeast
};
struct Filter {
  Steps left;
  Comparison comparison = Comparison::kExists;
  Steps right;
};
struct Union {
  std::vector<Steps> branches;
};
struct Literal {
  api::Json value;
};

struct Step {
  std::variant<Member, Everything, Descend, Slice, Filter, Union, Literal> what;
};

/// A part of the text: an action in braces, or what is between them, as a literal.
struct Part {
  enum class Kind : std::uint8_t { kValues, kRange, kEnd };
  Kind kind = Kind::kValues;
  Steps steps = {};
};

Result<std::vector<Part>> ParseParts(std::string_view text);

}  // namespace flyball::ctl::json_template

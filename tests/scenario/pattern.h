#pragma once

#include <string_view>

namespace flyball::scenario {

/// Whether a text is as a pattern, in which `*` stands for anything.
bool MatchesPattern(std::string_view pattern, std::string_view text);

}  // namespace flyball::scenario

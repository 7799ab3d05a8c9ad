#include "tests/scenario/pattern.h"

namespace flyball::scenario {

bool MatchesPattern(std::string_view pattern, std::string_view text) {
  const auto star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == text;
  if (!text.starts_with(pattern.substr(0, star))) return false;
  for (std::size_t at = star; at <= text.size(); ++at) {
    if (MatchesPattern(pattern.substr(star + 1), text.substr(at))) return true;
  }
  return false;
}

}  // namespace flyball::scenario

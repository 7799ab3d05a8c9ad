#include "flyball/sandbox/authorization.h"

#include <algorithm>

namespace flyball::sandbox {

bool MayDoEverything(const std::vector<std::string>& groups) {
  return std::ranges::any_of(groups, [](const std::string& group) {
    return group == "system:masters" || group == "system:serviceaccounts";
  });
}

bool IsForEverybody(std::string_view plural) { return plural.starts_with("selfsubject"); }

}  // namespace flyball::sandbox

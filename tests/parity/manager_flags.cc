#include "tests/parity/manager_flags.h"

#include <algorithm>
#include <string_view>

namespace flyball::parity {
namespace {

std::string_view NameOf(std::string_view flag) { return flag.substr(0, flag.find('=')); }

}  // namespace

std::vector<std::string> WithFlags(std::vector<std::string> flags,
                                   const std::vector<std::string>& others) {
  std::erase_if(flags, [&](const std::string& flag) {
    return std::ranges::any_of(others,
                               [&](const auto& given) { return NameOf(given) == NameOf(flag); });
  });
  flags.insert(flags.end(), others.begin(), others.end());
  return flags;
}

std::vector<std::string> ManagerFlags(const std::vector<std::string>& without,
                                      const std::vector<std::string>& more) {
  std::string controllers = "--controllers=*";
  for (const std::string& each : without) controllers += ",-" + each;
  return WithFlags(
      {std::move(controllers),
       // A year is too long for a test.
       "--legacy-service-account-token-clean-up-period=1s",
       // Which of the nodes gets which range is chance. Scenarios about that restart the manager.
       "--allocate-node-cidrs=false",
       // Nodes that scenarios make have no kubelet that would ever say how they are.
       "--node-startup-grace-period=1h",
       // Many scenarios at a time would wait for each other, and events come late for a checkpoint.
       "--kube-api-qps=500", "--kube-api-burst=1000"},
      more);
}

}  // namespace flyball::parity

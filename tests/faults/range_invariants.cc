#include "tests/faults/range_invariants.h"

#include <algorithm>

namespace flyball::faults {

void RangeInvariants::TellOfNode(const std::string& uid,
                                 const std::optional<core::v1::Node>& node) {
  if (!node) {
    nodes_.erase(uid);
    return;
  }
  Node& known = nodes_[uid];
  if (known.ranges == node->spec.podCIDRs) return;
  known.name = node->metadata.name;
  if (!known.ranges.empty()) {
    violations_.push_back("node " + known.name + " has other ranges than it had");
  }
  known.ranges = node->spec.podCIDRs;
  for (const auto& [other_uid, other] : nodes_) {
    for (const std::string& range : known.ranges) {
      if (other_uid == uid || std::ranges::find(other.ranges, range) == other.ranges.end())
        continue;
      violations_.push_back("node " + known.name + " gets " + range + ", which node " + other.name +
                            " has");
    }
  }
}

}  // namespace flyball::faults

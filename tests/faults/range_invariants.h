#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "flyball/api/core/v1.h"

namespace flyball::faults {

/// What must hold of the ranges of nodes at every revision: no two nodes have the same, and what a
/// node has it keeps. For one task at a time.
class RangeInvariants {
 public:
  explicit RangeInvariants(std::vector<std::string>& violations) : violations_(violations) {}

  void TellOfNode(const std::string& uid, const std::optional<core::v1::Node>& node);

 private:
  struct Node {
    std::string name;
    std::vector<std::string> ranges;
  };

  std::vector<std::string>& violations_;
  std::map<std::string, Node> nodes_;  // by uid
};

}  // namespace flyball::faults

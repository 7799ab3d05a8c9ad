#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "flyball/api/core/v1.h"

namespace flyball::faults {

/// What must hold of nodes and their pods at every revision:
///
///   - no node is said to be lost of which something is heard;
///   - no pod is driven out of a node that has had no taint of that sort since the last checkpoint.
///
/// For one task at a time.
class NodeInvariants {
 public:
  explicit NodeInvariants(std::vector<std::string>& violations) : violations_(violations) {}

  void TellOfNode(const std::string& name, const std::optional<core::v1::Node>& node);
  void TellOfPod(const std::string& uid, const std::optional<core::v1::Pod>& pod);
  void Checkpoint() { tainted_of_late_ = tainted_; }

 private:
  std::vector<std::string>& violations_;
  std::set<std::string> lost_;
  std::set<std::string> tainted_, tainted_of_late_;
  std::set<std::string> driven_out_;  ///< uids of pods
};

}  // namespace flyball::faults

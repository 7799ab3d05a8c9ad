#pragma once

#include <string>
#include <vector>

#include "flyball/api/apps/v1.h"
#include "flyball/api/node_selector.h"
#include "flyball/api/toleration.h"
#include "flyball/api/views.h"

namespace flyball::controllers::daemon_set {

/// What a node is to a set.
struct Fitness {
  bool runs = false;   ///< it ought to have a pod
  bool stays = false;  ///< a pod that it has may stay

  friend bool operator==(const Fitness&, const Fitness&) = default;
};

/// Which nodes a DaemonSet has pods on: read off its template once, for all nodes. Resources do not
/// count; that is the scheduler's matter.
class NodeFitness {
 public:
  explicit NodeFitness(const apps::v1::DaemonSet& set, api::TolerationRules rules = {});

  Fitness Of(const views::Node& node) const;

 private:
  const std::string only_node_;  ///< empty: any
  const api::RequiredNodes required_;
  const std::vector<core::v1::Toleration> tolerations_;
  const api::TolerationRules rules_;
};

}  // namespace flyball::controllers::daemon_set

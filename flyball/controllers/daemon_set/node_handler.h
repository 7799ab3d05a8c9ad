#pragma once

#include <functional>
#include <string>
#include <utility>

#include "flyball/api/apps/v1.h"
#include "flyball/api/object_key.h"
#include "flyball/api/toleration.h"
#include "flyball/api/views.h"
#include "flyball/cache/informer.h"

namespace flyball::controllers::daemon_set {

/// Whether a change of a node may change what it is to a set: nothing but labels and taints does.
bool MattersToSets(const views::Node& old, const views::Node& node);

/// Finds the sets that have something to do about a node, which costs a look at each of them. Any
/// thread.
class NodeHandler {
 public:
  struct Deps {
    cache::Lister<apps::v1::DaemonSet> sets;
    cache::Lister<views::Pod> pods;  ///< indexed by node
    cache::Lister<views::Node> nodes;
    api::TolerationRules tolerations = {};
    std::function<void(const api::ObjectKey& set)> add;
  };
  explicit NodeHandler(Deps deps) : deps_(std::move(deps)) {}

  void operator()(const std::string& name) const;

 private:
  const Deps deps_;
};

}  // namespace flyball::controllers::daemon_set

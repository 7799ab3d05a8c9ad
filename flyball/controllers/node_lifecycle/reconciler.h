#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "flyball/api/object_key.h"
#include "flyball/cache/informer.h"
#include "flyball/controllers/node_lifecycle/evictions.h"
#include "flyball/controllers/node_lifecycle/health_table.h"
#include "flyball/runtime/context.h"
#include "flyball/runtime/reconcile_queue.h"

namespace flyball::controllers::node_lifecycle {

/// Has a node's taints and labels follow from its conditions, but for new taints that drive pods
/// out. Reads and writes Nodes. Keeps nothing; any thread.
class NodeReconciler {
 public:
  struct Deps {
    cache::Lister<views::Node> nodes;
    std::function<bool(const std::string& node)> spares_pods;  ///< none are driven out of it
  };
  explicit NodeReconciler(Deps deps) : deps_(std::move(deps)) {}

  Result<runtime::Outcome> operator()(runtime::Context& context, const std::string& name) const;

 private:
  const Deps deps_;
};

/// Gives nodes of a zone their taints that drive pods out, when it is their turn. A key is a zone.
/// Reads and writes Nodes. Any thread.
class ZoneReconciler {
 public:
  struct Deps {
    cache::Lister<views::Node> nodes;
    std::shared_ptr<Evictions> evictions;
    CounterFamily tainted;
    const Clock& clock;
  };
  explicit ZoneReconciler(Deps deps) : deps_(std::move(deps)) {}

  Result<runtime::Outcome> operator()(runtime::Context& context, const std::string& zone) const;

 private:
  Result<> Taint(runtime::Context& context, const std::string& zone, const std::string& name) const;

  const Deps deps_;
};

/// Has pods of nodes that are not ready say that they are not. Reads Pods, writes Pods/status. Any
/// thread.
class PodReconciler {
 public:
  PodReconciler(cache::Lister<views::Pod> pods, std::shared_ptr<const HealthTable> health)
      : pods_(std::move(pods)), health_(std::move(health)) {}

  Result<runtime::Outcome> operator()(runtime::Context& context, const api::ObjectKey& key) const;

 private:
  const cache::Lister<views::Pod> pods_;
  const std::shared_ptr<const HealthTable> health_;
};

}  // namespace flyball::controllers::node_lifecycle

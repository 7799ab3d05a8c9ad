#include "flyball/controllers/node_ttl/controller.h"

#include <atomic>
#include <chrono>
#include <string>
#include <utility>

#include "flyball/api/core/v1.h"
#include "flyball/controllers/node_ttl/plan.h"

namespace flyball::controllers::node_ttl {
namespace {

using api::ObjectKey;
using runtime::Context;
using runtime::Outcome;
using views::Node;

constexpr std::size_t kWorkers = 5;

ObjectKey KeyOf(const Node& node) { return {"", std::string(node.metadata.name)}; }

/// What there is to be known of all nodes together.
struct Cluster {
  ClusterSize size;                  ///< the handlers', which are called one at a time
  std::atomic<int> ttl_seconds = 0;  ///< what comes of it

  void Grow() {
    size.Grow();
    ttl_seconds = size.ttl_seconds();
  }
  void Shrink() {
    size.Shrink();
    ttl_seconds = size.ttl_seconds();
  }
};

class Reconciler {
 public:
  Reconciler(cache::Lister<Node> nodes, std::shared_ptr<const Cluster> cluster)
      : nodes_(std::move(nodes)), cluster_(std::move(cluster)) {}

  Result<Outcome> operator()(Context& context, const ObjectKey& key) const {
    const auto node = nodes_.Get(key);
    if (!node) return Outcome::Done();
    const int ttl = cluster_->ttl_seconds;
    const auto patch = PlanFor(*node, ttl);
    if (!patch) return Outcome::Done();
    context.Decided("may keep what it has read for " + std::to_string(ttl) + " s");
    const auto patched = context.Patch<core::v1::Node>(key, *patch);
    if (!patched) {
      context.log().V(2).Info("Failed to change ttl annotation for node",
                              {{"node", key}, {"err", patched.error()}});
      return std::unexpected(patched.error());
    }
    context.log().V(2).Info("Changed ttl annotation",
                            {{"node", key}, {"TTL", std::chrono::seconds(ttl)}});
    return Outcome::Done();
  }

 private:
  const cache::Lister<Node> nodes_;
  const std::shared_ptr<const Cluster> cluster_;
};

}  // namespace

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps) {
  auto controller = std::make_unique<runtime::Controller>("ttl-controller", deps);
  const auto nodes = controller->Reads<Node>();
  const auto cluster = std::make_shared<Cluster>();
  auto& queue = controller->AddQueue<>({.name = "ttlcontroller", .workers = kWorkers},
                                       Reconciler(nodes.lister(), cluster));
  // PARITY: when the time changes, nodes are told as they are next heard of, not all at once.
  controller->On<Node>(
      nodes, {.added =
                  [cluster, &queue](const auto& node, bool initial) {
                    cluster->Grow();
                    queue.Add(KeyOf(*node),
                              initial ? queue::Priority::kBackground : queue::Priority::kLive);
                  },
              .updated = [&queue](const auto&, const auto& node) { queue.Add(KeyOf(*node)); },
              .deleted = [cluster](const auto&, bool) { cluster->Shrink(); }});
  return controller;
}

}  // namespace flyball::controllers::node_ttl

#include "flyball/controllers/node_ipam/controller.h"

#include <string>
#include <utility>

#include "flyball/api/core/v1.h"
#include "flyball/client/unreadable.h"
#include "flyball/controllers/node_ipam/cidr_allocator.h"
#include "flyball/controllers/node_ipam/plan.h"

namespace flyball::controllers::node_ipam {
namespace {

using api::ObjectKey;
using runtime::Context;
using runtime::Outcome;
using views::Node;

constexpr std::size_t kWorkers = 30;
constexpr int kTries = 3;

ObjectKey KeyOf(const Node& node) { return {"", std::string(node.metadata.name)}; }

/// For people who look at the node.
void Tell(Context& context, const Node& node, const std::string& status) {
  core::v1::ObjectReference about;
  about.apiVersion = "v1";
  about.kind = "Node";
  about.name = std::string(node.metadata.name);
  about.uid = std::string(node.metadata.uid);
  context.events().Event(about, runtime::EventType::kNormal, status,
                         "Node " + about.name + " status is now: " + status);
}

class Reconciler {
 public:
  Reconciler(cache::Lister<Node> nodes, std::shared_ptr<CidrAllocator> allocator)
      : nodes_(std::move(nodes)), allocator_(std::move(allocator)) {}

  Result<Outcome> operator()(Context& context, const ObjectKey& key) const {
    const auto node = nodes_.Get(key);
    if (!node || !node->spec.podCIDRs.empty()) allocator_->Settle(key.name);
    if (!node) return Outcome::Done();
    switch (ActionFor(*node)) {
      case Action::kLeave:
        return Outcome::Done();
      case Action::kCheck:
        // DIVERGES: where there is such a node at the start, upstream does not start at all. What
        // it has is not the cluster's, so that nobody else gets it.
        FLYBALL_TRY(allocator_->Check(key.name, RangesOf(*node)));
        return Outcome::Done();
      case Action::kGive:
        break;
    }
    const auto reserved = allocator_->Reserve(key.name, node->metadata.uid);
    if (!reserved) {
      Tell(context, *node, "CIDRNotAvailable");
      return std::unexpected(reserved.error());
    }
    return Give(context, *node, *reserved);
  }

 private:
  Result<Outcome> Give(Context& context, const Node& node, const Ranges& ranges) const {
    const std::string name(node.metadata.name);
    context.Decided("give it " + Joined(ranges));
    context.log().V(4).Info("Putting node with CIDR into the work queue",
                            {{"node", api::KObj(node)}, {"CIDRs", Joined(ranges)}});
    const client::Patch patch = RangesPatch(node.metadata.uid, ranges);
    Result<Context::Stored> written = Fail(ErrorCode::kCancelled, "not asked for");
    for (int i = 0; i < kTries && !context.stop().stop_requested(); ++i) {
      written = context.Patch<core::v1::Node>({"", name}, patch);
      if (written) {
        context.log().Info("Set node PodCIDR",
                           {{"node", api::KObj(node)}, {"podCIDRs", Joined(ranges)}});
        return Outcome::Done();
      }
      if (written.error().fate() == RequestFate::kUnknown) {
        allocator_->Doubt(name);
      } else if (written.error().code() == ErrorCode::kNotFound) {
        allocator_->Settle(name);
        return Outcome::Done();
      }
    }
    context.log().Error(written.error(), "Failed to update node PodCIDR after multiple attempts",
                        {{"node", api::KObj(node)}, {"podCIDRs", Joined(ranges)}});
    allocator_->TakeBack(name);
    Tell(context, node, "CIDRAssignmentFailed");
    return std::unexpected(written.error().Wrap("failed to patch node CIDR"));
  }

  const cache::Lister<Node> nodes_;
  const std::shared_ptr<CidrAllocator> allocator_;
};

/// Keeps the allocator up to date, and enqueues nodes that may need ranges.
cache::EventHandler<Node> HandlerFor(const std::shared_ptr<CidrAllocator>& allocator,
                                     runtime::ReconcileQueue<>& queue) {
  const auto show = [allocator](const cache::Ref<Node>& node) {
    if (client::IsReadable(node)) {
      allocator->Show(node->metadata.name, node->metadata.uid, RangesOf(*node));
    } else {
      allocator->ShowUnreadable(node->metadata.name, node->metadata.uid);
    }
  };
  cache::EventHandler<Node> handler;
  handler.added = [show, &queue](const auto& node, bool initial) {
    show(node);
    queue.Add(KeyOf(*node), initial ? queue::Priority::kBackground : queue::Priority::kLive);
  };
  handler.updated = [allocator, show, &queue](const auto& old, const auto& node) {
    const bool same =
        SameRanges(*old, *node) && client::IsReadable(old) == client::IsReadable(node);
    const bool replaced = old->metadata.uid.view() != node->metadata.uid.view();
    if (!same || replaced) show(node);
    if (replaced) allocator->Forget(old->metadata.name, old->metadata.uid);
    // One that there was nothing left for is given another chance whenever it is heard of.
    if (!same || replaced || node->spec.podCIDRs.empty()) queue.Add(KeyOf(*node));
  };
  handler.deleted = [allocator](const auto& node, bool) {
    allocator->Forget(node->metadata.name, node->metadata.uid);
  };
  return handler;
}

}  // namespace

Result<std::unique_ptr<runtime::Controller>> Make(const runtime::Controller::Deps& deps,
                                                  const Options& options) {
  if (!options.allocate) return nullptr;
  FLYBALL_TRY(const RangePlan plan, PlanRanges(options));
  for (const std::string& range : plan.not_understood) {
    deps.log.Info("Warning: unsuccessful parsing of service CIDR",
                  {{"CIDR", range}, {"err", "invalid CIDR address"}});
  }
  const auto allocator = std::make_shared<CidrAllocator>(plan, deps.metrics);
  auto controller = std::make_unique<runtime::Controller>("node-ipam-controller", deps,
                                                          /*event_component=*/"cidrAllocator");
  const auto nodes = controller->Reads<Node>();
  auto& queue = controller->AddQueue<>({.name = "cidrallocator_node", .workers = kWorkers},
                                       Reconciler(nodes.lister(), allocator));
  controller->On<Node>(nodes, HandlerFor(allocator, queue));
  return controller;
}

}  // namespace flyball::controllers::node_ipam

#include "flyball/controllers/node_ipam/controller.h"

#include <string>
#include <utility>

#include "flyball/api/core/v1.h"
#include "flyball/controllers/node_ipam/ledger.h"
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
  Reconciler(cache::Lister<Node> nodes, std::shared_ptr<Ledger> ledger)
      : nodes_(std::move(nodes)), ledger_(std::move(ledger)) {}

  Result<Outcome> operator()(Context& context, const ObjectKey& key) const {
    const auto node = nodes_.Get(key);
    if (!node || !node->spec.podCIDRs.empty()) ledger_->Settle(key.name);
    if (!node) return Outcome::Done();
    switch (ActionFor(*node)) {
      case Action::kLeave:
        return Outcome::Done();
      case Action::kCheck:
        // DIVERGES: where there is such a node at the start, upstream does not start at all. What
        // it has is not the cluster's, so that nobody else gets it.
        FLYBALL_TRY(ledger_->Check(key.name, RangesOf(*node)));
        return Outcome::Done();
      case Action::kGive:
        break;
    }
    const auto promised = ledger_->Promise(key.name, node->metadata.uid);
    if (!promised) {
      Tell(context, *node, "CIDRNotAvailable");
      return std::unexpected(promised.error());
    }
    return Give(context, *node, *promised);
  }

 private:
  Result<Outcome> Give(Context& context, const Node& node, const Ranges& ranges) const {
    const std::string name(node.metadata.name);
    context.Decided("give it " + Joined(ranges));
    const client::Patch patch = RangesPatch(node.metadata.uid, ranges);
    Result<Context::Stored> written = Fail(ErrorCode::kCancelled, "not asked for");
    for (int i = 0; i < kTries && !context.stop().stop_requested(); ++i) {
      written = context.Patch<core::v1::Node>({"", name}, patch);
      if (written) {
        context.log().Info("A node has got its ranges",
                           {{"node", name}, {"podCIDRs", Joined(ranges)}});
        return Outcome::Done();
      }
      if (written.error().code() == ErrorCode::kNotFound) {
        ledger_->Settle(name);
        return Outcome::Done();
      }
      if (!SaysNo(written.error().code())) ledger_->Doubt(name);
    }
    ledger_->TakeBack(name);
    Tell(context, node, "CIDRAssignmentFailed");
    return std::unexpected(written.error().Wrap("failed to patch node CIDR"));
  }

  const cache::Lister<Node> nodes_;
  const std::shared_ptr<Ledger> ledger_;
};

/// Keeps the ledger, and adds nodes that something may have to be done about.
cache::EventHandler<Node> HandlerFor(const std::shared_ptr<Ledger>& ledger,
                                     runtime::ReconcileQueue<>& queue) {
  cache::EventHandler<Node> handler;
  handler.added = [ledger, &queue](const auto& node, bool initial) {
    ledger->Show(node->metadata.name, node->metadata.uid, RangesOf(*node));
    queue.Add(KeyOf(*node), initial ? queue::Priority::kBackground : queue::Priority::kLive);
  };
  handler.updated = [ledger, &queue](const auto& old, const auto& node) {
    const bool same = SameRanges(*old, *node);
    const bool replaced = old->metadata.uid.view() != node->metadata.uid.view();
    if (!same || replaced) {
      // First what is, then what was: nothing that is in both is free between the two.
      ledger->Show(node->metadata.name, node->metadata.uid, RangesOf(*node));
      ledger->Hide(RangesOf(*old));
    }
    if (replaced) ledger->Forget(old->metadata.name, old->metadata.uid);
    // One that there was nothing left for is given another chance whenever it is heard of.
    if (!same || replaced || node->spec.podCIDRs.empty()) queue.Add(KeyOf(*node));
  };
  handler.deleted = [ledger](const auto& node, bool) {
    ledger->Hide(RangesOf(*node));
    ledger->Forget(node->metadata.name, node->metadata.uid);
  };
  return handler;
}

}  // namespace

Result<std::unique_ptr<runtime::Controller>> Make(const runtime::Controller::Deps& deps,
                                                  const Options& options) {
  if (!options.allocate) return nullptr;
  FLYBALL_TRY(const RangePlan plan, PlanRanges(options));
  for (const std::string& range : plan.not_understood) {
    deps.log.Info("A range of services is not understood, and is not left out", {{"range", range}});
  }
  const auto ledger = std::make_shared<Ledger>(plan, deps.metrics);
  auto controller = std::make_unique<runtime::Controller>("node-ipam-controller", deps,
                                                          /*event_component=*/"cidrAllocator");
  const auto nodes = controller->Reads<Node>();
  auto& queue = controller->AddQueue<>({.name = "cidrallocator_node", .workers = kWorkers},
                                       Reconciler(nodes.lister(), ledger));
  controller->On<Node>(nodes, HandlerFor(ledger, queue));
  return controller;
}

}  // namespace flyball::controllers::node_ipam

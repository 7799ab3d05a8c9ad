#include "flyball/controllers/node_lifecycle/monitor.h"

#include <algorithm>
#include <unordered_set>

#include "flyball/api/coordination/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/api/resource_version.h"
#include "flyball/controllers/common/node_index.h"
#include "flyball/controllers/node_lifecycle/node_events.h"
#include "flyball/controllers/node_lifecycle/readiness.h"
#include "flyball/controllers/node_lifecycle/taint_plan.h"

namespace flyball::controllers::node_lifecycle {
namespace {

using api::ObjectKey;
using runtime::Context;
using runtime::Outcome;

constexpr const char* kLeases = "kube-node-lease";
/// When taints are off that are to be off.
constexpr std::chrono::nanoseconds kSoon = std::chrono::milliseconds(100);

/// The server was out of reach, or could do nothing: then nodes could not reach it, either.
bool IsOutage(const Error& error) {
  switch (error.code()) {
    case ErrorCode::kTooManyRequests:
    case ErrorCode::kServerTimeout:
    case ErrorCode::kInternal:
    case ErrorCode::kUnavailable:
    case ErrorCode::kTimeout:
    case ErrorCode::kIo:
      return true;
    default:
      return false;
  }
}

void Note(Context& context, const client::Resource& resource, const std::string& name,
          const Result<Context::Stored>& stored) {
  const Error* const error = stored ? nullptr : &stored.error();
  context.notes().Wrote(runtime::TracedWrite::Verb::kPatch, resource, name, "status", error);
  context.NoteSent(resource, {"", name}, stored);
  if (error == nullptr) {
    context.Decided("nothing is heard of " + name);
  } else {
    context.log().Error(*error, "Error updating node", {{"node", api::KRef("", name)}});
  }
}

/// As upstream does: a line for each condition that the node reports.
void LogSilence(const Context& context, const views::Node& node, std::chrono::nanoseconds silent) {
  const auto log = context.log().V(2);
  if (!log) return;
  for (const std::string_view type : {"Ready", "MemoryPressure", "DiskPressure", "PIDPressure"}) {
    if (const NodeCondition* const condition = FindCondition(node, type)) {
      log.Info("Node hasn't been updated", {{"node", api::KObj(node)},
                                            {"duration", silent},
                                            {"nodeConditionType", type},
                                            {"currentCondition", condition->status.view()}});
    } else {
      log.Info("Condition of node was never updated by kubelet",
               {{"nodeConditionType", type}, {"node", api::KObj(node)}});
    }
  }
}

}  // namespace

Result<Outcome> Monitor::operator()(Context& context, const std::string& /*key*/) {
  const Moment now{.wall = context.now(), .steady = deps_.clock.SteadyNow()};
  Listen(now.steady);
  std::vector<Seen> seen = LookAtAll(now);
  TellOfNewAndGone(context, seen);
  MarkUnreachableNodes(context, seen);
  Remember(context, seen);
  SettleZones(context, seen, now.steady);
  const std::chrono::duration<double> took = deps_.clock.SteadyNow() - now.steady;
  deps_.metrics.all_nodes_seconds.Observe(took.count());
  // When the caches show what was written, the key is added: then those nodes' pods are evicted.
  return Outcome::RequeueAfter(std::ranges::any_of(seen, &Seen::doubted) ? kSoon : options_.period);
}

void Monitor::Listen(SteadyTime now) {
  // DIVERGES: upstream counts on, and when the server is back takes all nodes for lost that have
  // not yet renewed their leases.
  if (deps_.leases.state().problem || deps_.nodes.state().problem) deaf_until_ = now;
}

std::vector<Monitor::Seen> Monitor::LookAtAll(Moment now) const {
  const auto leases = deps_.leases.lister();
  std::vector<Seen> seen;
  for (auto& node : deps_.nodes.lister().List()) {
    const SteadyTime start = deps_.clock.SteadyNow();
    const std::string name(node->metadata.name);
    const NodeMemory* const before = deps_.health->Find(name);
    auto lease = leases.Get({kLeases, name});
    Judgement judgement = Judge(before, *node, lease.get(), now, deaf_until_, options_.grace);
    const bool is_new = before == nullptr || before->uid != judgement.memory.uid;
    seen.push_back({std::move(node), std::move(lease), std::move(judgement), is_new});
    const std::chrono::duration<double> took = deps_.clock.SteadyNow() - start;
    deps_.metrics.node_seconds.Observe(took.count());
  }
  return seen;
}

void Monitor::TellOfNewAndGone(Context& context, const std::vector<Seen>& seen) {
  std::unordered_set<std::string> there;
  for (const Seen& each : seen) {
    const std::string name = each.name();
    there.insert(name);
    if (!each.is_new) continue;
    context.log().V(1).Info("Controller observed a new Node", {{"node", api::KObj(*each.node)}});
    TellOfNode(context.events(), name, each.node->metadata.uid, "RegisteredNode",
               "event: Registered Node " + name + " in Controller");
  }
  const auto is_there = [&](const std::string& name) { return there.contains(name); };
  for (const auto& [name, memory] : deps_.health->TakeMissing(is_there)) {
    context.log().V(1).Info("Controller observed a Node deletion", {{"node", api::KRef("", name)}});
    TellOfNode(context.events(), name, memory.uid, "RemovingNode",
               "event: Removing Node " + name + " from Controller");
  }
}

void Monitor::MarkUnreachableNodes(Context& context, std::vector<Seen>& seen) {
  std::vector<Seen*> silent;
  for (Seen& each : seen) {
    if (context.AwaitsOwnWrite(client::Resource::Of<core::v1::Node>(), {"", each.name()})) {
      // What was said of it is not in the cache yet, but it was said.
      const NodeMemory* const before = deps_.health->Find(each.name());
      if (before != nullptr) each.judgement.memory.readiness = before->readiness;
      continue;
    }
    const bool says_so = each.judgement.memory.readiness == Readiness::kUnknown;
    if (each.judgement.overdue && !says_so) silent.push_back(&each);
  }
  if (silent.empty() || LeasesAreBehind()) return;
  const std::vector<Seen*> confirmed = Confirm(context, silent);
  const SteadyTime now = deps_.clock.SteadyNow();
  for (const Seen* each : confirmed) {
    LogSilence(context, *each->node, now - each->judgement.memory.heard);
  }
  WriteUnknown(context, confirmed);
}

bool Monitor::LeasesAreBehind() {
  if (leases_behind_.empty()) return false;
  const auto order = api::CompareResourceVersions(deps_.leases.resource_version(), leases_behind_);
  if (order && *order < 0) return true;
  leases_behind_.clear();
  return false;
}

std::vector<Monitor::Seen*> Monitor::Confirm(Context& context, const std::vector<Seen*>& silent) {
  const auto leases = context.client().Metadata(client::Resource::Of<coordination::v1::Lease>());
  std::vector<client::Pending<meta::v1::PartialObjectMetadata>> asked;
  for (const Seen* each : silent) asked.push_back(leases.Async().Get({kLeases, each->name()}));
  std::vector<Seen*> confirmed;
  for (std::size_t i = 0; i < silent.size(); ++i) {
    const auto lease = asked[i].Wait();
    if (ConfirmsStaleLease(*silent[i], lease)) {
      confirmed.push_back(silent[i]);
    } else {
      context.log().Info(
          "Unable to confirm stale node lease, keeping node conditions",
          {{"node", api::KObj(*silent[i]->node)},
           {"reason", lease ? "its lease is newer than the cache" : lease.error().Describe()}});
    }
  }
  // The same goes for the others: what is late for one is late for all.
  if (!leases_behind_.empty()) confirmed.clear();
  return confirmed;
}

bool Monitor::ConfirmsStaleLease(const Seen& seen,
                                 const Result<meta::v1::PartialObjectMetadata>& lease) {
  if (!lease) {
    if (IsOutage(lease.error())) deaf_until_ = deps_.clock.SteadyNow();
    return lease.error().code() == ErrorCode::kNotFound;
  }
  // DIVERGES: upstream compares with the version that had the last renewal, so that a node is never
  // lost whose lease somebody else has touched since.
  if (seen.lease && seen.lease->metadata.resourceVersion == lease->metadata.resourceVersion) {
    return true;
  }
  leases_behind_ = lease->metadata.resourceVersion;
  return false;
}

void Monitor::WriteUnknown(Context& context, const std::vector<Seen*>& silent) {
  const auto nodes = context.client().ReturningMetadataOnly<core::v1::Node>();
  std::vector<client::Pending<Context::Stored>> pending;
  for (const Seen* each : silent) {
    const auto patch = UnknownPatch(*each->node, context.now()).value_or(api::Json());
    pending.push_back(
        nodes.Async().Patch({"", each->name()}, client::Patch::Strategic(patch), {}, "status"));
  }
  for (std::size_t i = 0; i < silent.size(); ++i) {
    const auto stored = pending[i].Wait();
    Note(context, nodes.resource(), silent[i]->name(), stored);
    // Its pods are driven out from when the cache says what was written.
    context.RequeueWhenShown(nodes.resource(), {"", silent[i]->name()});
    if (stored) silent[i]->judgement.memory.readiness = Readiness::kUnknown;
  }
}

void Monitor::Remember(Context& context, const std::vector<Seen>& seen) const {
  for (const Seen& each : seen) {
    const std::string name = each.name();
    const bool was_ready = !each.is_new && deps_.health->Find(name)->readiness == Readiness::kReady;
    deps_.health->Put(name, each.judgement.memory);
    // PARITY: whoever had pods driven out of it may have known less. It is doubted anew, in turn.
    if (each.doubted()) deps_.look_at_node(name);
    if (each.judgement.memory.readiness != Readiness::kUnknown) continue;
    if (was_ready) {
      TellOfNode(context.events(), name, each.node->metadata.uid, "NodeNotReady",
                 "status is now: NodeNotReady");
    }
    // Whoever was here before may not have got around to the pods.
    if (was_ready || each.is_new) LookAtPodsOf(name);
  }
}

void Monitor::LookAtPodsOf(const std::string& node) const {
  for (const auto& pod : common::PodsOn(node, deps_.pods)) {
    deps_.look_at_pod(ObjectKey::Of(*pod));
  }
}

void Monitor::SettleZones(const Context& context, const std::vector<Seen>& seen, SteadyTime now) {
  ZoneCounts counts;
  std::map<std::string, std::vector<std::string>> waiting;
  for (const Seen& each : seen) {
    const std::string zone = ZoneOf(*each.node);
    if (CountsInZone(*each.node)) counts[zone].Add(each.judgement.memory.readiness);
    std::vector<std::string>& in_zone = waiting[zone];
    if (LacksEvictingTaint(*each.node)) in_zone.push_back(each.name());
  }
  const ZonePlan plan = PlanZones(counts, options_.zones);
  const bool was_disrupted = deps_.all_disrupted->exchange(plan.all_disrupted);
  if (was_disrupted && !plan.all_disrupted) {
    context.log().Info(
        "Controller detected that some Nodes are Ready. Exiting master disruption mode");
    deaf_until_ = now;
  } else if (!was_disrupted && plan.all_disrupted) {
    context.log().Info(
        "Controller detected that all Nodes are not-Ready. Entering master disruption mode");
  }
  if (plan.all_disrupted) {
    for (const Seen& each : seen) {
      if (HasEvictingTaint(*each.node)) deps_.look_at_node(each.name());
    }
  }
  deps_.evictions->KeepOnly(waiting);
  for (const auto& [zone, nodes] : waiting) {
    const auto planned = plan.zones.find(zone);
    const float usual = plan.all_disrupted ? 0 : options_.zones.rate;
    const auto queued = deps_.evictions->Update(
        zone, nodes, planned == plan.zones.end() ? usual : planned->second.rate, now);
    LogQueued(context, seen, queued);
    if (deps_.evictions->Waits(zone)) deps_.look_at_zone(zone);
  }
  TellOfZones(context, plan);
  ShowZones(counts);
}

void Monitor::LogQueued(const Context& context, const std::vector<Seen>& seen,
                        const std::vector<std::string>& queued) {
  const auto log = context.log().V(2);
  if (!log || queued.empty()) return;
  const std::unordered_set<std::string_view> names(queued.begin(), queued.end());
  for (const Seen& each : seen) {
    if (!names.contains(each.node->metadata.name.view())) continue;
    const bool unknown = each.judgement.memory.readiness == Readiness::kUnknown;
    log.Info(unknown ? "Node is unresponsive. Adding it to the Taint queue"
                     : "Node is NotReady. Adding it to the Taint queue",
             {{"node", api::KObj(*each.node)}, {"timeStamp", context.now()}});
  }
}

void Monitor::TellOfZones(const Context& context, const ZonePlan& plan) {
  std::map<std::string, ZoneState, std::less<>> states;
  for (const auto& [name, zone] : plan.zones) {
    states[name] = zone.state;
    const auto before = states_.find(name);
    if (before != states_.end() && before->second == zone.state) continue;
    context.log().Info("Controller detected that zone is now in new state",
                       {{"zone", name}, {"newState", ToString(zone.state)}});
  }
  states_ = std::move(states);
}

void Monitor::ShowZones(const ZoneCounts& counts) {
  for (const auto& [zone, count] : counts) {
    deps_.metrics.zone_size.With({zone}).Set(static_cast<double>(count.nodes));
    deps_.metrics.zone_health.With({zone}).Set(count.Health());
    deps_.metrics.unhealthy_nodes.With({zone}).Set(static_cast<double>(count.unhealthy));
    deps_.metrics.evictions.With({zone}).Add(0);
  }
  for (const auto& [zone, count] : shown_) {
    if (counts.contains(zone)) continue;
    deps_.metrics.zone_size.With({zone}).Set(0);
    deps_.metrics.zone_health.With({zone}).Set(100);
    deps_.metrics.unhealthy_nodes.With({zone}).Set(0);
  }
  shown_ = counts;
}

}  // namespace flyball::controllers::node_lifecycle

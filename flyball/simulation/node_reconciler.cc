#include "flyball/simulation/node_reconciler.h"

#include <algorithm>
#include <utility>

#include "flyball/simulation/annotations.h"
#include "flyball/simulation/spread.h"

namespace flyball::simulation {

using coordination::v1::Lease;
using runtime::Context;
using runtime::Outcome;

bool IsSilent(const NodeRegistry& registry, std::string_view name, const views::KubeletNode* node) {
  if (registry.IsSilent(name)) return true;
  return node != nullptr && node->metadata.annotations.find(kSilent) == "true";
}

NodeReconciler::Memory& NodeReconciler::MemoryOf(const std::string& name) {
  MutexLock lock(mutex_);
  return memories_[name];
}

SteadyTime NodeReconciler::ReportAfterChange(const std::string& name) const {
  // PARITY: between half and one and a half times as long, so that not all come at once.
  const double part = 0.5 + MixedPart(0, name, "report");
  const auto wait = static_cast<double>(heartbeats_.status.count()) * part;
  return deps_.clock.DeadlineAfter(std::chrono::nanoseconds(static_cast<std::int64_t>(wait)));
}

Result<Outcome> NodeReconciler::operator()(Context& context, const std::string& name) {
  const NodeRegistry::Facts* const facts = deps_.registry.Find(name);
  if (facts == nullptr) return Outcome::Done();
  const auto node = deps_.nodes.Get({"", name});
  Memory& memory = MemoryOf(name);
  const bool was_silent = std::exchange(memory.silent, IsSilent(deps_.registry, name, node.get()));
  if (memory.silent) return Outcome::Done();
  if (was_silent) deps_.returned(name);
  if (!node) {
    // PARITY: a node that somebody deleted does not come back by itself.
    if (!memory.registered) FLYBALL_TRY(Register(context, name, *facts));
    memory.registered = true;
    return Outcome::Done();
  }
  memory.registered = true;
  const bool ready = node->metadata.annotations.find(kReady) != "false";
  const SteadyTime now = deps_.clock.SteadyNow();
  const bool changed = !memory.report_due || !ShowsConditions(*node, ready);
  if (changed || now >= *memory.report_due) {
    FLYBALL_TRY(Report(context, name, *node));
    memory.report_due = changed ? ReportAfterChange(name) : now + heartbeats_.status;
  }
  if (ready && heartbeats_.clear_not_ready_taint) FLYBALL_TRY(ClearTaint(context, name, *node));
  if (!memory.leased || now >= *memory.leased + heartbeats_.lease) {
    FLYBALL_TRY(RenewLease(name, *node, context.now(), memory));
    memory.leased = now;
  }
  SteadyTime next = std::min(*memory.leased + heartbeats_.lease, *memory.report_due);
  if (deps_.storage) {
    FLYBALL_TRY(const auto due, deps_.storage->SeeTo(context, name, *node));
    next = std::min(next, due.value_or(next));
  }
  return Outcome::RequeueAfter(next - now);
}

Result<> NodeReconciler::Register(Context& context, const std::string& name,
                                  const NodeRegistry::Facts& facts) {
  FLYBALL_TRY(const core::v1::Node node,
              DescribeNode(name, facts.shape, facts.address, context.now()));
  const auto nodes = deps_.client_of(name).Of<core::v1::Node>();
  const auto created = nodes.Create(node);
  if (created) {
    context.writes().Stored(nodes.resource(), {"", name}, created->metadata.resourceVersion);
    // What it has just said need not be said again.
    MemoryOf(name).report_due = ReportAfterChange(name);
    return {};
  }
  // It was here before, and the cache will show it.
  if (created.error().code() == ErrorCode::kAlreadyExists) return {};
  context.writes().Failed(nodes.resource(), {"", name}, created.error());
  return std::unexpected(created.error());
}

Result<> NodeReconciler::Report(Context& context, const std::string& name,
                                const views::KubeletNode& node) {
  const bool ready = node.metadata.annotations.find(kReady) != "false";
  const auto nodes = deps_.client_of(name).Of<core::v1::Node>();
  FLYBALL_TRY(const auto patched,
              nodes.Patch({"", name}, ConditionsPatch(node, ready, context.now()), {}, "status"));
  context.writes().Stored(nodes.resource(), {"", name}, patched.metadata.resourceVersion);
  return {};
}

Result<> NodeReconciler::ClearTaint(Context& context, const std::string& name,
                                    const views::KubeletNode& node) {
  const auto patch = NotReadyTaintPatch(node);
  if (!patch) return {};
  const auto nodes = deps_.client_of(name).Of<core::v1::Node>();
  FLYBALL_TRY(const auto patched, nodes.Patch({"", name}, *patch));
  context.writes().Stored(nodes.resource(), {"", name}, patched.metadata.resourceVersion);
  return {};
}

Result<> NodeReconciler::RenewLease(const std::string& name, const views::KubeletNode& node,
                                    WallTime now, Memory& memory) {
  const auto leases = deps_.client_of(name).Of<Lease>();
  Lease lease = DescribeLease(node, now);
  if (memory.lease_version.empty()) {
    const auto created = leases.Create(lease);
    if (created) {
      memory.lease_version = created->metadata.resourceVersion;
      return {};
    }
    if (created.error().code() != ErrorCode::kAlreadyExists) {
      return std::unexpected(created.error());
    }
    FLYBALL_TRY(const Lease there, leases.Get(api::ObjectKey::Of(lease)));
    memory.lease_version = there.metadata.resourceVersion;
  }
  lease.metadata.resourceVersion = std::exchange(memory.lease_version, {});
  FLYBALL_TRY(const Lease renewed, leases.Update(lease));
  memory.lease_version = renewed.metadata.resourceVersion;
  return {};
}

}  // namespace flyball::simulation

#include "flyball/controllers/attach_detach/reconciler.h"

#include <algorithm>
#include <optional>
#include <set>

namespace flyball::controllers::attach_detach {
namespace {

using api::ObjectKey;
using runtime::Context;
using runtime::Outcome;
using std::chrono::nanoseconds;
using Force = Detachment::Force;

/// When the caches have caught up with what the server knows.
constexpr nanoseconds kSoon = std::chrono::milliseconds(100);
/// When a node with pods that cannot be decoded is looked at again: no event of theirs names it.
constexpr nanoseconds kUnreadableRecheck = std::chrono::minutes(1);

bool IsNotFound(const auto& result) {
  return !result && result.error().code() == ErrorCode::kNotFound;
}

void LogDetachment(const Context& context, const Detachment& one, const std::string& node) {
  const Logger& log = context.log();
  switch (one.force) {
    case Force::kNone:
      return log.Info("attacherDetacher.DetachVolume started",
                      {{"node", api::KRef("", node)}, {"volumeName", one.volume}});
    case Force::kTimeout:
      return log.Info(
          "attacherDetacher.DetachVolume started: this volume is not safe to detach, but "
          "maxWaitForUnmountDuration expired, force detaching",
          {{"duration", kUnmountTime}, {"node", api::KRef("", node)}, {"volumeName", one.volume}});
    case Force::kOutOfService:
      return log.Info(
          "attacherDetacher.DetachVolume started: node has out-of-service taint, force detaching",
          {{"node", api::KRef("", node)}, {"volumeName", one.volume}});
  }
}

/// Those that want a volume on the node.
std::vector<std::string> PodNames(const NodeFacts& facts, const Attachable& volume) {
  std::vector<std::string> names;
  const auto its = std::ranges::find(facts.volumes, volume.name,
                                     [](const VolumeFacts& one) { return one.volume.name; });
  if (its == facts.volumes.end()) return names;
  for (const auto& pod : its->pods) names.push_back(api::ObjectKey::Of(*pod).ToString());
  return names;
}

void LookAgain(Plan& plan, nanoseconds after) {
  plan.again = std::min(plan.again.value_or(after), after);
}

}  // namespace

Result<Outcome> NodeReconciler::operator()(Context& context, const std::string& node) const {
  SettleReservations(context, node);
  std::vector<std::string> reserved;
  NodeFacts facts =
      deps_.volume_lister.At(node, deps_.memories->LastOf(node), [&](const Attachable& volume) {
        if (!deps_.reservations->Take(volume.name, node)) return false;
        reserved.push_back(volume.name);
        return true;
      });
  Show(facts);
  Plan plan = PlanFor(facts, deps_.memories->Of(node), deps_.rules, deps_.clock.SteadyNow());
  for (const std::string& volume : reserved) {
    if (std::ranges::find(plan.begun, volume) != plan.begun.end()) continue;
    deps_.reservations->Release(volume, node);
  }
  if (!plan.detach.empty() || !plan.release.empty()) {
    // DIVERGES: upstream goes by the pods that it last saw.
    FLYBALL_TRY(const PodsOnServer pods, Compare(context, facts));
    if (pods == PodsOnServer::kNotCached) return Outcome::RequeueAfter(kSoon);
    if (pods == PodsOnServer::kUnreadable) {
      // Which volumes such a pod uses is not known: none is detached, the others are attached.
      context.log().Error("Keep volumes attached, the node has pods that cannot be decoded",
                          {{"node", api::KRef("", node)}});
      for (VolumeFacts& volume : facts.volumes) volume.kept = true;
      plan = PlanFor(facts, deps_.memories->Of(node), deps_.rules, deps_.clock.SteadyNow());
      LookAgain(plan, kUnreadableRecheck);
    }
  }
  if (std::string text = plan.ToString(); !text.empty()) context.Decided(std::move(text));
  // Kept also where a write is refused: a volume's time does not wait for that.
  if (plan.again) context.RequeueAfter(*plan.again);
  FLYBALL_TRY(const bool begun, Report(context, facts, plan));
  // Nothing is remembered of what was not begun.
  if (!begun) return Outcome::RequeueAfter(kSoon);
  for (const std::string& volume : plan.release) {
    deps_.holders->Release(node, volume);
    // No other change need tell those who wait for it.
    (*deps_.wake)(deps_.volume_lister.NodesWanting(volume));
  }
  const Outcome outcome = CarryOut(context, facts, plan);
  deps_.memories->Put(node, std::move(plan.memory));
  if (!facts.node && facts.volumes.empty()) deps_.memories->Came(node);
  return outcome;
}

void NodeReconciler::SettleReservations(Context& context, const std::string& node) const {
  for (const std::string& name : deps_.reservations->Of(node)) {
    const auto volume = AttachableNamed(name);
    if (volume && volume->HasDriver()) {
      const ObjectKey key{"", AttachmentName(*volume, node)};
      // One that came and went again shows nowhere.
      const bool shown =
          deps_.volume_lister.attachments().Get(key) ||
          IsNotFound(context.client().Metadata(client::Resource::Of<VolumeAttachment>()).Get(key));
      if (!shown) continue;
    }
    deps_.reservations->Release(name, node);
  }
}

Result<bool> NodeReconciler::Report(Context& context, const NodeFacts& facts,
                                    const Plan& plan) const {
  FLYBALL_TRY(const bool missing, AreMissing(context, plan.missing));
  if (!missing) return false;
  if (!plan.report) return true;
  // Also if the answer is lost: the node may have been told all the same.
  for (const std::string& volume : plan.hold) deps_.holders->Hold(facts.name, volume);
  const auto reported = context.Patch<core::v1::Node>(
      {"", facts.name}, client::Patch::Strategic(*plan.report), {}, "status");
  if (reported) return true;
  const ErrorCode code = reported.error().code();
  if (code == ErrorCode::kConflict || code == ErrorCode::kNotFound) return false;
  return std::unexpected(reported.error());
}

Outcome NodeReconciler::CarryOut(Context& context, const NodeFacts& facts, Plan& plan) const {
  for (const Ended& ended : plan.ended) deps_.metrics->Count(ended);
  const Result<> detached = Detach(context, facts, plan);
  Attach(context, facts, plan);
  for (const auto& [pod, event] : plan.events) {
    context.events().Event(*pod, event.type, event.reason, event.message);
  }
  if (!detached) {
    context.log().Error(detached.error(), "Unable to get node, not detaching its volumes",
                        {{"node", api::KRef("", facts.name)}});
    LookAgain(plan, kSoon);
  }
  return plan.again ? Outcome::RequeueAfter(*plan.again) : Outcome::Done();
}

Result<bool> NodeReconciler::AreMissing(Context& context, const std::vector<std::string>& names) {
  const auto attachments = context.client().Metadata(client::Resource::Of<VolumeAttachment>());
  for (const std::string& name : names) {
    const auto live = attachments.Get({"", name});
    if (live) return false;
    if (!IsNotFound(live)) return std::unexpected(live.error());
  }
  return true;
}

Result<> NodeReconciler::Detach(Context& context, const NodeFacts& facts, Plan& plan) const {
  if (plan.detach.empty()) return {};
  const auto live = context.client().Of<core::v1::Node>().Get({"", facts.name});
  if (!live && !IsNotFound(live)) return std::unexpected(live.error());
  for (const Detachment& one : plan.detach) {
    if (live && !MayDetach(one, *live)) {
      context.log().V(5).Info("Cannot detach volume because it is still mounted",
                              {{"node", api::KRef("", facts.name)}, {"volumeName", one.volume}});
      Retry(plan, one.volume);
      continue;
    }
    const auto deleted = context.Delete(*one.attachment);
    if (!deleted && !IsNotFound(deleted)) {
      context.log().Error(deleted.error(), "attacherDetacher.DetachVolume failed to start",
                          {{"node", api::KRef("", facts.name)}, {"volumeName", one.volume}});
      Retry(plan, one.volume);
      continue;
    }
    deps_.metrics->CountForced(one.force);
    LogDetachment(context, one, facts.name);
  }
  return {};
}

Result<NodeReconciler::PodsOnServer> NodeReconciler::Compare(Context& context,
                                                             const NodeFacts& facts) const {
  meta::v1::ListOptions options;
  options.fieldSelector = "spec.nodeName=" + facts.name;
  FLYBALL_TRY(const auto live,
              context.client().Metadata(client::Resource::Of<core::v1::Pod>()).ListIn("", options));
  // And not those that the cache has come to know since: the plan is not for them.
  std::set<std::string, std::less<>> known;
  for (const auto& pod : facts.pods) known.emplace(pod->metadata.uid);
  PodsOnServer pods = PodsOnServer::kPlanned;
  for (const auto& pod : live.items) {
    if (known.contains(pod.metadata.uid)) continue;
    if (!deps_.volume_lister.IsUnreadable(ObjectKey::Of(pod), pod.metadata.uid)) {
      return PodsOnServer::kNotCached;
    }
    pods = PodsOnServer::kUnreadable;
  }
  return pods;
}

void NodeReconciler::Attach(Context& context, const NodeFacts& facts, Plan& plan) const {
  for (const Attachable& volume : plan.attach) {
    const auto created = context.Create(AttachmentOf(volume, facts.name));
    if (created) {
      context.log().Info("attacherDetacher.AttachVolume started",
                         {{"volumeName", volume.name},
                          {"nodeName", facts.name},
                          {"scheduledPods", PodNames(facts, volume)}});
    } else if (created.error().code() == ErrorCode::kAlreadyExists) {
      LookAgain(plan, kSoon);
    } else {
      context.log().Error(created.error(), "attacherDetacher.AttachVolume failed to start",
                          {{"volumeName", volume.name},
                           {"nodeName", facts.name},
                           {"scheduledPods", PodNames(facts, volume)}});
      // PARITY: in upstream's words.
      const auto event = AttachFailed(
          volume, "kubernetes.io/csi: attacher.Attach failed: " + created.error().message());
      const auto its = std::ranges::find(facts.volumes, volume.name,
                                         [](const auto& one) { return one.volume.name; });
      for (const auto& pod : its->pods) plan.events.push_back({pod, event});
      Retry(plan, volume.name);
    }
  }
}

void NodeReconciler::Retry(Plan& plan, const std::string& volume) const {
  LookAgain(plan, Failed(plan.memory[volume], deps_.clock.SteadyNow()));
}

void NodeReconciler::Show(const NodeFacts& facts) const {
  NodeCounts counts{.used = deps_.volume_lister.UsedAt(facts.name)};
  for (const VolumeFacts& its : facts.volumes) {
    if (!its.pods.empty()) ++counts.wanted[its.volume.plugin];
    if (its.attachment || its.reported || its.held) ++counts.attached[its.volume.plugin];
  }
  deps_.metrics->Show(facts.name, std::move(counts));
}

}  // namespace flyball::controllers::attach_detach

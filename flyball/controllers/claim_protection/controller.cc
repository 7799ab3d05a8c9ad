#include "flyball/controllers/claim_protection/controller.h"

#include <memory>
#include <utility>

#include "flyball/controllers/claim_protection/live_pod_lister.h"
#include "flyball/controllers/claim_protection/plan.h"
#include "flyball/controllers/common/pod_claims.h"

namespace flyball::controllers::claim_protection {
namespace {

using api::ObjectKey;
using common::Protection;
using queue::Priority;
using runtime::Context;
using runtime::Outcome;
using views::Pod;

class Reconciler {
 public:
  Reconciler(cache::Lister<PersistentVolumeClaim> claims, cache::Lister<Pod> pods,
             std::shared_ptr<LivePodLister> live_pods, const Options& options)
      : claims_(std::move(claims)),
        pods_(std::move(pods)),
        live_pods_(std::move(live_pods)),
        options_(options) {}

  Result<Outcome> operator()(Context& context, const ObjectKey& key) const {
    const auto cached = claims_.Get(key);
    if (!cached) {
      context.log().V(4).Info("PVC not found, ignoring", {{"PVC", key}});
      return Outcome::Done();
    }
    context.log().V(4).Info("Processing PVC", {{"PVC", key}});
    Usage usage;
    for (const auto& pod : common::PodsOfClaim(key, pods_)) usage |= UsageBy(*pod, *cached);
    Plan plan = PlanFor(*cached, usage, context.now());
    if (!options_.says_unused) plan.unused.reset();
    if (plan.protection == Protection::kRemove) {
      FLYBALL_TRY(const bool kept, live_pods_->IsKept(context, *cached));
      // The cache has yet to hear of that pod, and may never if it is gone soon.
      if (kept) {
        LogKept(context, key);
        return Outcome::RequeueWithBackoff();
      }
      context.log().V(2).Info("PVC is unused", {{"PVC", key}});
    } else if (common::IsKeptByProtection(*cached, kFinalizer)) {
      LogKept(context, key);
    }
    if (plan == Plan()) return Outcome::Done();
    context.Decided(plan.ToString());
    FLYBALL_TRY(CarryOut(context, *cached, plan));
    return Outcome::Done();
  }

 private:
  static void LogKept(const Context& context, const ObjectKey& claim) {
    context.log().V(2).Info("Keeping PVC because it is being used", {{"PVC", claim}});
  }

  static Result<> CarryOut(Context& context, PersistentVolumeClaim claim, const Plan& plan) {
    const ObjectKey key = ObjectKey::Of(claim);
    if (plan.unused) {
      Say(*plan.unused, claim);
      const auto stored = context.UpdateStatus(claim);
      if (!stored) {
        context.log().Error(stored.error(), "Error updating Unused condition in PVC status",
                            {{"PVC", key}});
        return std::unexpected(stored.error());
      }
      context.log().V(3).Info("Updated Unused condition in PVC status",
                              {{"PVC", key}, {"status", plan.unused->status}});
      claim.metadata.resourceVersion = stored->metadata.resourceVersion;
    }
    Result<> applied = common::Apply(context, std::move(claim), kFinalizer, plan.protection);
    LogProtection(context, key, plan.protection, applied);
    return applied;
  }

  static void LogProtection(const Context& context, const ObjectKey& key, Protection protection,
                            const Result<>& applied) {
    const Logger& log = context.log();
    const bool adds = protection == Protection::kAdd;
    if (protection == Protection::kLeave) return;
    if (!applied) {
      return log.Error(applied.error(),
                       adds ? "Error adding protection finalizer to PVC"
                            : "Error removing protection finalizer from PVC",
                       {{"PVC", key}});
    }
    log.V(3).Info(
        adds ? "Added protection finalizer to PVC" : "Removed protection finalizer from PVC",
        {{"PVC", key}});
  }

  const cache::Lister<PersistentVolumeClaim> claims_;
  const cache::Lister<Pod> pods_;
  const std::shared_ptr<LivePodLister> live_pods_;
  const Options options_;
};

}  // namespace

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps, Options options) {
  auto controller =
      std::make_unique<runtime::Controller>("persistentvolumeclaim-protection-controller", deps);
  const auto claims = controller->Reads<PersistentVolumeClaim>();
  const auto pods = controller->Reads<Pod>();
  common::IndexByClaim(pods);
  const auto live_pods = std::make_shared<LivePodLister>(claims.lister());
  auto& queue = controller->AddQueue<>(
      {.name = "pvcprotection"}, Reconciler(claims.lister(), pods.lister(), live_pods, options));

  controller->On<PersistentVolumeClaim>(
      claims, {.added =
                   // DIVERGES: all that there are at the start. Pods may have gone when no manager
                   // was there to see it, and upstream's then says of their claims for ever that
                   // they are in use.
               [&queue](const auto& claim, bool initial) {
                 queue.Add(ObjectKey::Of(*claim),
                           initial ? Priority::kBackground : Priority::kLive);
               },
               .updated =
                   [&queue](const auto&, const auto& claim) {
                     if (Concerns(*claim)) queue.Add(ObjectKey::Of(*claim));
                   }});

  const auto add_claims = [&queue](const Pod& pod, Priority priority) {
    for (const common::PodClaim& claim : common::ClaimsOf(pod)) {
      queue.Add({std::string(pod.metadata.namespace_), claim.name}, priority);
    }
  };
  controller->On<Pod>(
      pods,
      {.added =
           [add_claims](const auto& pod, bool initial) {
             add_claims(*pod, initial ? Priority::kBackground : Priority::kLive);
           },
       .updated =
           [add_claims](const auto& before, const auto& now) {
             // Another of the same name: those of the first may wait for its end.
             const bool another = before->metadata.uid != now->metadata.uid;
             if (another) add_claims(*before, Priority::kLive);
             if (another || ChangesUsage(*before, *now)) add_claims(*now, Priority::kLive);
           },
       .deleted = [add_claims](const auto& pod, bool) { add_claims(*pod, Priority::kLive); }});
  return controller;
}

}  // namespace flyball::controllers::claim_protection

#include "flyball/controllers/claim_protection/controller.h"

#include <memory>
#include <utility>

#include "flyball/controllers/claim_protection/namespace_look.h"
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
             std::shared_ptr<NamespaceLook> look, const Options& options)
      : claims_(std::move(claims)),
        pods_(std::move(pods)),
        look_(std::move(look)),
        options_(options) {}

  Result<Outcome> operator()(Context& context, const ObjectKey& key) const {
    const auto cached = claims_.Get(key);
    if (!cached) return Outcome::Done();
    Usage usage;
    for (const auto& pod : common::PodsOfClaim(key, pods_)) usage |= UsageBy(*pod, *cached);
    Plan plan = PlanFor(*cached, usage, context.now());
    if (!options_.says_unused) plan.unused.reset();
    if (plan.protection == Protection::kRemove) {
      FLYBALL_TRY(const bool kept, look_->IsKept(context, *cached));
      // The cache has yet to hear of that pod, and may never if it is gone soon.
      if (kept) return Outcome::Later();
    }
    if (plan == Plan()) return Outcome::Done();
    context.Decided(plan.ToString());
    context.log().V(3).Info("Decided on a claim",
                            {{"PVC", key.ToString()}, {"plan", plan.ToString()}});
    FLYBALL_TRY(CarryOut(context, *cached, plan));
    return Outcome::Done();
  }

 private:
  static Result<> CarryOut(Context& context, PersistentVolumeClaim claim, const Plan& plan) {
    if (plan.unused) {
      Say(*plan.unused, claim);
      FLYBALL_TRY(const auto stored, context.UpdateStatus(claim));
      claim.metadata.resourceVersion = stored.metadata.resourceVersion;
    }
    return common::Apply(context, std::move(claim), kFinalizer, plan.protection);
  }

  const cache::Lister<PersistentVolumeClaim> claims_;
  const cache::Lister<Pod> pods_;
  const std::shared_ptr<NamespaceLook> look_;
  const Options options_;
};

}  // namespace

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps, Options options) {
  auto controller =
      std::make_unique<runtime::Controller>("persistentvolumeclaim-protection-controller", deps);
  const auto claims = controller->Reads<PersistentVolumeClaim>();
  const auto pods = controller->Reads<Pod>();
  common::IndexByClaim(pods);
  const auto look = std::make_shared<NamespaceLook>(claims.lister());
  auto& queue = controller->AddQueue<>({.name = "pvcprotection"},
                                       Reconciler(claims.lister(), pods.lister(), look, options));

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

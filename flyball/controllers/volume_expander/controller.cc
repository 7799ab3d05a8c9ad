#include "flyball/controllers/volume_expander/controller.h"

#include <utility>

#include "flyball/controllers/volume_expander/plan.h"

namespace flyball::controllers::volume_expander {
namespace {

using api::ObjectKey;
using queue::Priority;
using runtime::Context;
using runtime::EventType;
using runtime::Outcome;

constexpr std::size_t kWorkers = 10;

class Reconciler {
 public:
  Reconciler(cache::Lister<PersistentVolumeClaim> claims, cache::Lister<PersistentVolume> volumes)
      : claims_(std::move(claims)), volumes_(std::move(volumes)) {}

  Result<Outcome> operator()(Context& context, const ObjectKey& key) const {
    const auto claim = claims_.Get(key);
    if (!claim) return Outcome::Done();
    const std::string& name = claim->spec.volumeName;
    const auto volume = volumes_.Get({"", name});
    // Not there yet, or not the claim's: mostly the cache is behind, and nobody would say when it
    // is not any more.
    if (!volume || !IsOf(*volume, *claim)) return Outcome::RequeueWithBackoff();
    const Plan plan = PlanFor(*claim, *volume);
    if (plan == Plan()) return Outcome::Done();
    context.Decided(plan.message);
    context.log().Info("Waiting for an external controller to expand the PVC",
                       {{"pvcKey", key.ToString()}, {"pvcUID", claim->metadata.uid}});
    context.events().Event(*claim, EventType::kNormal, "ExternalExpanding", plan.message);
    if (plan.resizer.empty() || HasResizer(*claim, plan.resizer)) return Outcome::Done();
    const auto told = context.Patch<PersistentVolumeClaim>(
        key, client::Patch::Strategic(ResizerPatch(*claim, plan.resizer)), {}, "status");
    if (told) return Outcome::Done();
    context.events().Event(*claim, EventType::kWarning, "ExternalExpanding",
                           "error setting resizer annotation to pvc " + key.ToString() +
                               ", with error patchPVCStatus failed to patch PVC \"" + key.name +
                               "\": " + told.error().message());
    return std::unexpected(told.error());
  }

 private:
  const cache::Lister<PersistentVolumeClaim> claims_;
  const cache::Lister<PersistentVolume> volumes_;
};

}  // namespace

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps) {
  auto controller = std::make_unique<runtime::Controller>("persistentvolume-expander-controller",
                                                          deps, "volume_expand");
  const auto claims = controller->Reads<PersistentVolumeClaim>();
  const auto volumes = controller->Reads<PersistentVolume>();
  auto& queue = controller->AddQueue<>({.name = "volume_expand", .workers = kWorkers},
                                       Reconciler(claims.lister(), volumes.lister()));
  controller->On<PersistentVolumeClaim>(
      claims, {.added =
                   [&queue](const auto& claim, bool initial) {
                     if (claim->status.phase != "Bound") return;
                     queue.Add(ObjectKey::Of(*claim),
                               initial ? Priority::kBackground : Priority::kLive);
                   },
               .updated =
                   [&queue](const auto& before, const auto& now) {
                     if (now->status.phase != "Bound" || !Grows(*before, *now)) return;
                     queue.Add(ObjectKey::Of(*now));
                   }});
  return controller;
}

}  // namespace flyball::controllers::volume_expander

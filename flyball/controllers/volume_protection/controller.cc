#include "flyball/controllers/volume_protection/controller.h"

#include <string>

#include "flyball/controllers/volume_protection/plan.h"

namespace flyball::controllers::volume_protection {
namespace {

using api::ObjectKey;
using common::Protection;
using queue::Priority;
using runtime::Context;
using runtime::Outcome;

Result<Outcome> Reconcile(Context& context, const ObjectKey& key,
                          const cache::Lister<PersistentVolume>& volumes) {
  const auto volume = volumes.Get(key);
  if (!volume) return Outcome::Done();
  context.log().V(4).Info("Processing PV", {{"PV", key}});
  const Protection plan = PlanFor(*volume);
  if (plan == Protection::kLeave) return Outcome::Done();
  context.Decided(std::string(common::ToString(plan)));
  const bool adds = plan == Protection::kAdd;
  if (const auto applied = common::Apply(context, *volume, kFinalizer, plan); !applied) {
    context.log().V(3).Info(adds ? "Error adding protection finalizer to PV"
                                 : "Error removing protection finalizer from PV",
                            {{"PV", key}, {"err", applied.error()}});
    return std::unexpected(applied.error());
  }
  context.log().V(3).Info(
      adds ? "Added protection finalizer to PV" : "Removed protection finalizer from PV",
      {{"PV", key}});
  return Outcome::Done();
}

}  // namespace

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps) {
  auto controller =
      std::make_unique<runtime::Controller>("persistentvolume-protection-controller", deps);
  const auto volumes = controller->Reads<PersistentVolume>();
  auto& queue =
      controller->AddQueue<>({.name = "pvprotection"},
                             [lister = volumes.lister()](Context& context, const ObjectKey& key) {
                               return Reconcile(context, key, lister);
                             });
  const auto add = [&queue](const PersistentVolume& volume, Priority priority) {
    if (PlanFor(volume) != Protection::kLeave) queue.Add(ObjectKey::Of(volume), priority);
  };
  controller->On<PersistentVolume>(
      volumes,
      {.added =
           [add](const auto& volume, bool initial) {
             add(*volume, initial ? Priority::kBackground : Priority::kLive);
           },
       .updated = [add](const auto&, const auto& volume) { add(*volume, Priority::kLive); }});
  return controller;
}

}  // namespace flyball::controllers::volume_protection

#include "flyball/controllers/attributes_class_protection/controller.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "flyball/controllers/attributes_class_protection/plan.h"

namespace flyball::controllers::attributes_class_protection {
namespace {

using api::ObjectKey;
using common::Protection;
using queue::Priority;
using runtime::Context;
using runtime::Outcome;

constexpr std::string_view kIndex = "attributes class";

template <typename T>
void IndexByClass(const cache::Informer<T>& informer) {
  informer.AddIndex(std::string(kIndex), [](const T& object, cache::IndexValues& values) {
    values = ClassesOf(object);
  });
}

/// By what the server has, and not by what is known of it here.
template <typename T>
Result<bool> IsNeededByAny(Context& context, const std::string& name) {
  bool needed = false;
  FLYBALL_TRY(context.client().Reader<T>().List(
      "", {}, context.stop(), [&](const std::shared_ptr<const T>& object) -> Result<> {
        const auto classes = ClassesOf(*object);
        needed |= std::ranges::find(classes, name) != classes.end();
        return {};
      }));
  return needed;
}

class Reconciler {
 public:
  Reconciler(cache::Lister<VolumeAttributesClass> classes,
             cache::Lister<PersistentVolumeClaim> claims, cache::Lister<PersistentVolume> volumes)
      : classes_(std::move(classes)), claims_(std::move(claims)), volumes_(std::move(volumes)) {}

  Result<Outcome> operator()(Context& context, const ObjectKey& key) const {
    const auto attributes = classes_.Get(key);
    if (!attributes) return Outcome::Done();
    context.log().V(4).Info("Processing VAC", {{"VAC", key}});
    const bool used =
        !volumes_.ByIndex(kIndex, key.name).empty() || !claims_.ByIndex(kIndex, key.name).empty();
    const Protection plan = PlanFor(*attributes, used);
    if (plan == Protection::kLeave) return Outcome::Done();
    if (plan == Protection::kRemove) {
      FLYBALL_TRY(const bool by_volume, IsNeededByAny<PersistentVolume>(context, key.name));
      FLYBALL_TRY(const bool by_claim, IsNeededByAny<PersistentVolumeClaim>(context, key.name));
      // The caches have yet to hear of who needs it, and may never if that is over soon.
      if (by_volume || by_claim) return Outcome::RequeueWithBackoff();
    }
    context.Decided(std::string(common::ToString(plan)));
    const bool adds = plan == Protection::kAdd;
    if (const auto applied = common::Apply(context, *attributes, kFinalizer, plan); !applied) {
      context.log().V(3).Info(adds ? "Error adding protection finalizer to VAC"
                                   : "Error removing protection finalizer from VAC",
                              {{"VAC", key}, {"err", applied.error()}});
      return std::unexpected(applied.error());
    }
    context.log().V(3).Info(
        adds ? "Added protection finalizer to VAC" : "Removed protection finalizer from VAC",
        {{"VAC", key}});
    return Outcome::Done();
  }

 private:
  const cache::Lister<VolumeAttributesClass> classes_;
  const cache::Lister<PersistentVolumeClaim> claims_;
  const cache::Lister<PersistentVolume> volumes_;
};

}  // namespace

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps) {
  auto controller =
      std::make_unique<runtime::Controller>("volumeattributesclass-protection-controller", deps);
  const auto classes = controller->Reads<VolumeAttributesClass>();
  const auto claims = controller->Reads<PersistentVolumeClaim>();
  const auto volumes = controller->Reads<PersistentVolume>();
  IndexByClass(claims);
  IndexByClass(volumes);
  auto& queue = controller->AddQueue<>(
      {.name = "vacprotection"}, Reconciler(classes.lister(), claims.lister(), volumes.lister()));

  const auto add = [&queue](const VolumeAttributesClass& attributes, Priority priority) {
    if (PlanFor(attributes, /*used=*/false) == Protection::kLeave) return;
    queue.Add(ObjectKey::Of(attributes), priority);
  };
  controller->On<VolumeAttributesClass>(
      classes, {.added =
                    [add](const auto& attributes, bool initial) {
                      add(*attributes, initial ? Priority::kBackground : Priority::kLive);
                    },
                .updated = [add](const auto&,
                                 const auto& attributes) { add(*attributes, Priority::kLive); }});

  const auto left = [&queue](const std::vector<std::string>& names) {
    for (const std::string& name : names) queue.Add({"", name});
  };
  controller->On<PersistentVolumeClaim>(
      claims,
      {.updated = [left](const auto& before, const auto& now) { left(ClassesLeft(*before, *now)); },
       .deleted = [left](const auto& claim, bool) { left(ClassesOf(*claim)); }});
  controller->On<PersistentVolume>(
      volumes,
      {.updated = [left](const auto& before, const auto& now) { left(ClassesLeft(*before, *now)); },
       .deleted = [left](const auto& volume, bool) { left(ClassesOf(*volume)); }});
  return controller;
}

}  // namespace flyball::controllers::attributes_class_protection

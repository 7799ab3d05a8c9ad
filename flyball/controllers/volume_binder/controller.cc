#include "flyball/controllers/volume_binder/controller.h"

#include <utility>

#include "flyball/controllers/common/pod_claims.h"
#include "flyball/controllers/volume_binder/reconcilers.h"
#include "flyball/controllers/volume_binder/volume_counts.h"

namespace flyball::controllers::volume_binder {
namespace {

using api::ObjectKey;
using queue::Priority;

ClassMetrics MetricsIn(MetricRegistry* metrics) {
  if (metrics == nullptr) return {};
  return {
      metrics
          ->Counters(
              {.name = "retroactive_storageclass_total",
               .help = "[ALPHA] Number of attempts to set the default StorageClass on a "
                       "PersistentVolumeClaim that was created without one, failed ones included."})
          .With(),
      metrics
          ->Counters({.name = "retroactive_storageclass_errors_total",
                      .help = "[ALPHA] Number of failed attempts to set the default StorageClass "
                              "on a PersistentVolumeClaim that was created without one."})
          .With()};
}

/// Has objects of a kind counted.
template <typename T>
void CountAll(runtime::Controller& controller, const cache::Informer<T>& informer,
              const std::shared_ptr<VolumeCounts>& counts) {
  constexpr const T* kNone = nullptr;
  controller.On<T>(
      informer,
      {.added = [counts](const auto& object, bool) { counts->Count(kNone, object.get()); },
       .updated = [counts](const auto& before,
                           const auto& now) { counts->Count(before.get(), now.get()); },
       .deleted = [counts](const auto& object, bool) { counts->Count(object.get(), kNone); }});
}

Priority PriorityOf(bool initial) { return initial ? Priority::kBackground : Priority::kLive; }

}  // namespace

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps, Options options) {
  auto controller = std::make_unique<runtime::Controller>("persistentvolume-binder-controller",
                                                          deps, "persistentvolume-controller");
  const auto claims = controller->Reads<PersistentVolumeClaim>();
  const auto volumes = controller->Reads<PersistentVolume>();
  const auto classes = controller->Reads<StorageClass>();
  const auto pods = controller->Reads<views::Pod>();
  common::IndexByClaim(pods);
  volumes.AddIndex(std::string(kMatchIndex),
                   [](const PersistentVolume& volume, cache::IndexValues& values) {
                     values = MatchKeysOf(volume);
                   });
  const Caches caches{claims.lister(), volumes.lister(), classes.lister(), pods.lister()};
  const auto memory = std::make_shared<Memory>(deps.metrics, deps.executor.clock());
  // One worker each, as upstream's: claims that look for a volume at the same time find the same.
  auto& claim_queue = controller->AddQueue<>(
      {.name = "claims"}, ClaimReconciler(caches, memory, options, MetricsIn(deps.metrics)));
  auto& volume_queue = controller->AddQueue<>(
      {.name = "volumes", .keys_of = "persistentvolumes"},
      VolumeReconciler(caches, memory,
                       [&claim_queue](const ObjectKey& claim) { claim_queue.Add(claim); }));

  controller->On<PersistentVolumeClaim>(
      claims,
      {.added = [&claim_queue](
                    const auto& claim,
                    bool initial) { claim_queue.Add(ObjectKey::Of(*claim), PriorityOf(initial)); },
       .updated = [&claim_queue](const auto&,
                                 const auto& claim) { claim_queue.Add(ObjectKey::Of(*claim)); },
       .deleted =
           [&volume_queue, memory](const auto& claim, bool) {
             memory->times.Forget(ObjectKey::Of(*claim).ToString());
             if (!claim->spec.volumeName.empty()) volume_queue.Add({"", claim->spec.volumeName});
           }},
      {.delivery = cache::Delivery::kInline, .resync = options.sync_period});
  controller->On<PersistentVolume>(
      volumes,
      {.added =
           [&volume_queue](const auto& volume, bool initial) {
             volume_queue.Add(ObjectKey::Of(*volume), PriorityOf(initial));
           },
       .updated = [&volume_queue](const auto&,
                                  const auto& volume) { volume_queue.Add(ObjectKey::Of(*volume)); },
       .deleted =
           [&claim_queue, memory](const auto& volume, bool) {
             memory->own_writes.Forget(volume->metadata.name);
             memory->times.Done(volume->metadata.name);
             const auto& claim = volume->spec.claimRef;
             if (claim) claim_queue.Add({claim->namespace_, claim->name});
           }},
      {.delivery = cache::Delivery::kInline, .resync = options.sync_period});
  if (deps.metrics != nullptr) {
    const auto counts = std::make_shared<VolumeCounts>(*deps.metrics);
    CountAll(*controller, claims, counts);
    CountAll(*controller, volumes, counts);
  }
  return controller;
}

}  // namespace flyball::controllers::volume_binder

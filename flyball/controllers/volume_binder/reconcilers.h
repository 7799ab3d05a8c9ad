#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "flyball/api/storage/v1.h"
#include "flyball/api/views.h"
#include "flyball/cache/informer.h"
#include "flyball/controllers/volume_binder/claim_plan.h"
#include "flyball/controllers/volume_binder/controller.h"
#include "flyball/controllers/volume_binder/operation_times.h"
#include "flyball/controllers/volume_binder/own_writes.h"
#include "flyball/controllers/volume_binder/volume_plan.h"

namespace flyball::controllers::volume_binder {

/// Of the volumes, by MatchKeysOf().
inline constexpr std::string_view kMatchIndex = "match";

/// Has people who look at an object told.
template <typename T>
void Tell(const runtime::Context& context, const T& object,
          const std::vector<common::PlannedEvent>& events) {
  for (const auto& event : events) {
    context.events().Event(object, event.type, event.reason, event.message);
  }
}

struct Caches {
  cache::Lister<PersistentVolumeClaim> claims;
  cache::Lister<PersistentVolume> volumes;
  cache::Lister<StorageClass> classes;
  cache::Lister<views::Pod> pods;
};

/// How often claims were given a class after the fact.
struct ClassMetrics {
  Counter assigned = {};
  Counter failed = {};
};

/// What both kinds of reconciles tell each other, and leave for the next. Any thread.
struct Memory {
  Memory(MetricRegistry* metrics, const Clock& clock) : times(metrics, clock) {}
  OwnWrites own_writes;
  OperationTimes times;
};

class ClaimReconciler {
 public:
  ClaimReconciler(Caches caches, std::shared_ptr<Memory> memory, Options options,
                  ClassMetrics metrics)
      : caches_(std::move(caches)),
        memory_(std::move(memory)),
        options_(options),
        metrics_(metrics) {}

  Result<runtime::Outcome> operator()(runtime::Context& context, const api::ObjectKey& key) const;

 private:
  ClaimFacts FactsOf(const api::ObjectKey& claim) const;
  Result<runtime::Outcome> CarryOut(runtime::Context& context, PersistentVolumeClaim claim,
                                    const ClaimPlan& plan) const;
  Result<> Bind(runtime::Context& context, PersistentVolumeClaim claim,
                const PersistentVolume& volume) const;
  Result<runtime::Outcome> Lose(runtime::Context& context, const PersistentVolumeClaim& claim,
                                const ClaimPlan& plan) const;
  Result<> AssignClass(runtime::Context& context, PersistentVolumeClaim claim,
                       const std::string& name) const;
  Result<> Provision(runtime::Context& context, const PersistentVolumeClaim& claim,
                     const ClaimPlan& plan) const;

  const Caches caches_;
  const std::shared_ptr<Memory> memory_;
  const Options options_;
  const ClassMetrics metrics_;
};

class VolumeReconciler {
 public:
  /// `wake` has a claim looked at.
  using Wake = std::function<void(const api::ObjectKey& claim)>;
  VolumeReconciler(Caches caches, std::shared_ptr<Memory> memory, Wake wake)
      : caches_(std::move(caches)), memory_(std::move(memory)), wake_(std::move(wake)) {}

  Result<runtime::Outcome> operator()(runtime::Context& context, const api::ObjectKey& key) const;

 private:
  /// The claim that a volume is bound to, by the server's word where the caches have none; null if
  /// there is none.
  Result<ClaimRef> ClaimOf(runtime::Context& context, const PersistentVolume& volume) const;
  Result<VolumeFacts> FactsOf(runtime::Context& context, const PersistentVolume& volume) const;
  void CountDeletion(const PersistentVolume& volume, VolumePlan::Deletion deletion) const;
  Result<> CarryOut(runtime::Context& context, PersistentVolume volume, const VolumeFacts& facts,
                    const VolumePlan& plan) const;

  const Caches caches_;
  const std::shared_ptr<Memory> memory_;
  const Wake wake_;
};

}  // namespace flyball::controllers::volume_binder

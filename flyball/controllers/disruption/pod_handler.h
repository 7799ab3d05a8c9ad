#pragma once

#include <memory>
#include <string>
#include <vector>

#include "flyball/api/object_key.h"
#include "flyball/api/views.h"
#include "flyball/base/clock.h"
#include "flyball/controllers/disruption/coverage.h"
#include "flyball/runtime/event_recorder.h"
#include "flyball/runtime/reconcile_queue.h"

namespace flyball::controllers::disruption {

/// Finds out whom a change of a pod concerns.
class PodHandler {
 public:
  struct Deps {
    std::shared_ptr<Coverage> coverage;
    runtime::ReconcileQueue<>& budgets;
    runtime::ReconcileQueue<>& stale_targets;
    runtime::EventRecorder& events;
    const Clock& clock;
  };
  explicit PodHandler(Deps deps) : deps_(std::move(deps)) {}

  void Added(const PodRef& pod, queue::Priority priority) const { Stored(pod, nullptr, priority); }
  void Updated(const views::Pod& old, const PodRef& pod) const {
    Stored(pod, &old, queue::Priority::kLive);
  }
  void Deleted(const views::Pod& pod) const;

 private:
  void Stored(const PodRef& stored, const views::Pod* old, queue::Priority priority) const;
  void Add(const views::Pod& pod, const std::vector<std::string>& budgets,
           queue::Priority priority) const;
  void WarnOfSeveral(const views::Pod& pod, const std::vector<std::string>& budgets) const;

  const Deps deps_;
};

}  // namespace flyball::controllers::disruption

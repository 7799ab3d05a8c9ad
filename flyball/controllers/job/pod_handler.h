#pragma once

#include <functional>
#include <utility>

#include "flyball/api/batch/v1.h"
#include "flyball/api/views.h"
#include "flyball/cache/informer.h"
#include "flyball/controllers/job/metrics.h"

namespace flyball::controllers::job {

/// Which jobs a change of a pod concerns, and whether nobody counts the pod any more. Any thread.
class PodHandler {
 public:
  struct Deps {
    cache::Lister<batch::v1::Job> jobs;
    std::function<void(const api::ObjectKey& job)> add_job;
    std::function<void(const views::Pod& pod)> add_orphan;
    Metrics metrics;
  };
  explicit PodHandler(Deps deps) : deps_(std::move(deps)) {}

  void Added(const views::Pod& pod) const;
  void Updated(const views::Pod& old, const views::Pod& pod) const;
  void Deleted(const views::Pod& pod) const;

 private:
  cache::Ref<batch::v1::Job> JobOf(const views::Pod& pod) const;
  void AddJobOf(const views::Pod& pod) const;
  void EnqueueMatchingOwners(const views::Pod& pod) const;
  /// It is told to end, or is gone.
  void Ends(const views::Pod& pod) const;

  const Deps deps_;
};

}  // namespace flyball::controllers::job

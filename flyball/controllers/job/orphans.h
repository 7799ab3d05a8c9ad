#pragma once

#include "flyball/api/batch/v1.h"
#include "flyball/api/views.h"
#include "flyball/cache/informer.h"
#include "flyball/runtime/reconcile_queue.h"

namespace flyball::controllers::job {

/// Whether nobody will ever count a pod: it has the finalizer, and no job, or one that has ended.
/// `job` is what its controller's name stands for, null if there is none. Pods of others' jobs, and
/// of controllers of another kind, are their own matter.
bool IsToBeFreed(const views::Pod& pod, const batch::v1::Job* job);

/// Takes the finalizer from pods that nobody will count, so that they can go. Any thread.
class OrphanReconciler {
 public:
  OrphanReconciler(cache::Lister<batch::v1::Job> jobs, cache::Lister<views::Pod> pods)
      : jobs_(std::move(jobs)), pods_(std::move(pods)) {}

  Result<runtime::Outcome> operator()(runtime::Context& context, const api::ObjectKey& key) const;

 private:
  const cache::Lister<batch::v1::Job> jobs_;
  const cache::Lister<views::Pod> pods_;
};

}  // namespace flyball::controllers::job

#pragma once

#include <memory>
#include <set>
#include <string>
#include <utility>

#include "flyball/api/batch/v1.h"
#include "flyball/base/metrics.h"
#include "flyball/cache/informer.h"
#include "flyball/controllers/cron_job/plan.h"
#include "flyball/runtime/context.h"
#include "flyball/runtime/reconcile_queue.h"

namespace flyball::controllers::cron_job {

/// Looks at a cron job with its jobs and at the time, decides, and carries that out: deletes jobs
/// that it does not keep, makes the one that is due, writes the status. It keeps nothing between
/// two calls; any thread.
///
/// A job has the name that its time gives it. So it is made once, whoever tries how often; and if
/// nobody came to note it in the status, whoever tries next finds it there and does.
class Reconciler {
 public:
  struct Deps {
    cache::Lister<batch::v1::CronJob> cron_jobs;
    cache::Lister<batch::v1::Job> jobs;
    std::shared_ptr<const TimeZones> zones;
    Histogram skew;  ///< seconds from when a run was due to the making of its job
  };
  explicit Reconciler(Deps deps) : deps_(std::move(deps)) {}

  Result<runtime::Outcome> operator()(runtime::Context& context, const api::ObjectKey& key) const;

 private:
  /// One sync of one CronJob.
  class Sync;

  const Deps deps_;
};

}  // namespace flyball::controllers::cron_job

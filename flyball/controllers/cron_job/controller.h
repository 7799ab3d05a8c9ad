#pragma once

#include <cstddef>
#include <memory>

#include "flyball/controllers/cron_job/time_zones.h"
#include "flyball/runtime/controller.h"

/// Makes jobs when their time has come.
///   schedule.h    when that is: cron's language, by the clocks of a time zone (time_zone.h)
///   due.h         what of it has come and gone, and what is next
///   history.h     which jobs that have ended are kept
///   run.h         the job of one run
///   plan.h        decides
///   reconciler.h  does
namespace flyball::controllers::cron_job {

struct Options {
  std::size_t workers = 5;                           ///< --concurrent-cron-job-syncs
  std::shared_ptr<const TimeZones> zones = nullptr;  ///< null: those of this machine
};

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps, Options options);

}  // namespace flyball::controllers::cron_job

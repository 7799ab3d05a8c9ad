#pragma once

#include <chrono>
#include <string>

#include "flyball/api/batch/v1.h"
#include "flyball/controllers/cron_job/time_zone.h"

/// One run of a cron job: the job that it is, and what is kept of it.
namespace flyball::controllers::cron_job {

inline constexpr const char* kScheduledAt = "batch.kubernetes.io/cronjob-scheduled-timestamp";

/// The job of the run that is due then. Its name follows from that moment, so that nobody can make
/// it twice. `zone` is the one in which it says so.
batch::v1::Job JobFor(const batch::v1::CronJob& cron_job, std::chrono::sys_seconds due,
                      const TimeZone& zone);

/// The status of a cron job whose run is there.
void NoteRun(batch::v1::CronJobStatus& status, const core::v1::ObjectReference& job,
             std::chrono::sys_seconds due);

/// Whether a run is among those that have not ended, by the uid of its job.
bool IsActive(const batch::v1::CronJobStatus& status, const std::string& uid);
void RemoveActive(batch::v1::CronJobStatus& status, const std::string& uid);

}  // namespace flyball::controllers::cron_job

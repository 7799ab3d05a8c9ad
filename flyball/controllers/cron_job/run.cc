#include "flyball/controllers/cron_job/run.h"

#include <algorithm>
#include <cstdlib>

#include "flyball/api/names.h"
#include "flyball/api/time.h"
#include "flyball/controllers/common/controller_ref.h"

namespace flyball::controllers::cron_job {
namespace {

using batch::v1::CronJob;
using batch::v1::CronJobStatus;
using batch::v1::Job;
using std::chrono::sys_seconds;

api::Time ToTime(sys_seconds moment) {
  return api::Time::FromUnix(moment.time_since_epoch().count());
}

std::string TwoDigits(long number) { return (number < 10 ? "0" : "") + std::to_string(number); }

/// RFC 3339 by the clocks of a zone: "2026-03-29T03:00:00+02:00".
std::string Format(sys_seconds moment, const TimeZone& zone) {
  const auto offset = zone.OffsetAt(moment);
  std::string text = ToTime(moment + offset).ToString();
  if (offset == offset.zero()) return text;
  text.pop_back();  // the Z of UTC
  const long minutes = std::labs(static_cast<long>(offset.count())) / 60;
  return text + (offset < offset.zero() ? "-" : "+") + TwoDigits(minutes / 60) + ":" +
         TwoDigits(minutes % 60);
}

}  // namespace

Job JobFor(const CronJob& cron_job, sys_seconds due, const TimeZone& zone) {
  const auto& job_template = cron_job.spec.jobTemplate;
  Job job;
  job.metadata.namespace_ = cron_job.metadata.namespace_;
  job.metadata.name = api::CronJobJobName(cron_job.metadata.name, ToTime(due));
  job.metadata.labels = job_template.metadata.labels;
  job.metadata.annotations = job_template.metadata.annotations;
  job.metadata.annotations[kScheduledAt] = Format(due, zone);
  job.metadata.ownerReferences.push_back(common::ControllerRefTo(cron_job));
  job.spec = job_template.spec;
  return job;
}

void NoteRun(CronJobStatus& status, const core::v1::ObjectReference& job, sys_seconds due) {
  status.active.push_back(job);
  status.lastScheduleTime = ToTime(due);
}

bool IsActive(const CronJobStatus& status, const std::string& uid) {
  return std::ranges::any_of(status.active, [&](const auto& job) { return job.uid == uid; });
}

void RemoveActive(CronJobStatus& status, const std::string& uid) {
  std::erase_if(status.active, [&](const auto& job) { return job.uid == uid; });
}

}  // namespace flyball::controllers::cron_job

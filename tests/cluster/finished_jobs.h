#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include "flyball/api/batch/v1.h"
#include "flyball/base/clock.h"
#include "flyball/base/result.h"
#include "flyball/client/client.h"

namespace flyball::cluster {

/// Jobs that somebody else manages, and so nobody runs: a test says what becomes of them.
class FinishedJobs {
 public:
  using Job = batch::v1::Job;

  FinishedJobs(const client::Client& client, std::string space)
      : jobs_(client.Of<Job>()), space_(std::move(space)) {}

  /// One that runs, and is to be kept for so long when it has finished.
  Result<Job> Create(const std::string& name, std::int32_t ttl_seconds) const {
    Job job;
    job.metadata.namespace_ = space_;
    job.metadata.name = name;
    job.spec.ttlSecondsAfterFinished = ttl_seconds;
    job.spec.managedBy = "example.com/test";
    job.spec.template_.spec.restartPolicy = "Never";
    auto& container = job.spec.template_.spec.containers.emplace_back();
    container.name = "only";
    container.image = "none";
    return jobs_.Create(job);
  }

  Result<Job> Complete(Job job, WallTime when) const {
    job.status.completionTime = api::Time(when);
    return Finish(std::move(job), when, {"SuccessCriteriaMet", "Complete"});
  }
  Result<Job> Fail(Job job, WallTime when) const {
    return Finish(std::move(job), when, {"FailureTarget", "Failed"});
  }

  Result<Job> Get(const std::string& name) const { return jobs_.Get({space_, name}); }
  /// To be kept for so long instead.
  Result<Job> Keep(const std::string& name, std::int32_t ttl_seconds) const {
    return jobs_.Patch({space_, name},
                       client::Patch::Merge(api::Json::Object{
                           {"spec", api::Json::Object{{"ttlSecondsAfterFinished",
                                                       api::Json(std::int64_t{ttl_seconds})}}}}));
  }
  /// At once, with nothing left of it.
  Result<> Delete(const std::string& name) const {
    meta::v1::DeleteOptions options;
    options.propagationPolicy = "Background";
    return jobs_.Delete({space_, name}, options);
  }

 private:
  Result<Job> Finish(Job job, WallTime when, std::initializer_list<const char*> conditions) const {
    job.status.startTime = api::Time(when);
    for (const char* const type : conditions) {
      batch::v1::JobCondition& condition = job.status.conditions.emplace_back();
      condition.type = type;
      condition.status = "True";
      condition.lastTransitionTime = condition.lastProbeTime = api::Time(when);
    }
    return jobs_.UpdateStatus(job);
  }

  const client::ResourceClient<Job> jobs_;
  const std::string space_;
};

}  // namespace flyball::cluster

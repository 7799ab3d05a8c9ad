#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "flyball/api/batch/v1.h"
#include "flyball/controllers/common/controller_ref.h"
#include "flyball/controllers/common/internal/pod_fake.h"
#include "flyball/controllers/job/job_pod.h"
#include "flyball/controllers/job/job_spec.h"

/// Jobs and pods for the tests of decisions.
namespace flyball::controllers::job {

inline const WallTime kNow{std::chrono::sys_days(std::chrono::year(2026) / 11 / 16)};

using ChangeJob = std::function<void(batch::v1::Job&)>;
using ChangePod = std::function<void(core::v1::Pod&)>;

/// "ns/work", which started a minute ago, with so many completions of which two at a time.
inline batch::v1::Job FakeJob(std::int32_t completions, const ChangeJob& change = {}) {
  batch::v1::Job job;
  job.metadata.namespace_ = "ns";
  job.metadata.name = "work";
  job.metadata.uid = "work-uid";
  job.metadata.resourceVersion = "7";
  job.spec.completions = completions;
  job.spec.parallelism = 2;
  job.spec.backoffLimit = 6;
  job.spec.completionMode = std::string(kNonIndexed);
  job.spec.selector.emplace().matchLabels["job"] = "work";
  job.spec.template_.metadata.labels["job"] = "work";
  job.spec.template_.spec.restartPolicy = "Never";
  core::v1::Container& container = job.spec.template_.spec.containers.emplace_back();
  container.name = "main";
  container.image = "none";
  job.status.startTime = api::Time(kNow - std::chrono::minutes(1));
  job.status.uncountedTerminatedPods.emplace();
  if (change) change(job);
  return job;
}

inline batch::v1::Job FakeIndexedJob(std::int32_t completions, const ChangeJob& change = {}) {
  return FakeJob(completions, [&](batch::v1::Job& job) {
    job.spec.completionMode = std::string(kIndexed);
    if (change) change(job);
  });
}

/// A pod of that job, whose uid is its name with "-uid", made half a minute ago and tracked.
inline core::v1::Pod FakeCorePod(const std::string& name, const std::string& phase,
                                 const ChangePod& change = {}) {
  core::v1::Pod pod;
  pod.metadata.namespace_ = "ns";
  pod.metadata.name = name;
  pod.metadata.uid = name + "-uid";
  pod.metadata.labels["job"] = "work";
  pod.metadata.creationTimestamp = api::Time(kNow - std::chrono::seconds(30));
  pod.metadata.finalizers.emplace_back(kTrackingFinalizer);
  pod.metadata.ownerReferences.push_back(common::ControllerRefTo(FakeJob(1)));
  pod.status.phase = phase;
  if (change) change(pod);
  return pod;
}
inline JobPod FakePod(const std::string& name, const std::string& phase,
                      const ChangePod& change = {}) {
  return JobPodOf(ViewOf(FakeCorePod(name, phase, change)));
}
/// One of an index: "p3" of index 3.
inline JobPod FakeIndexPod(std::int64_t index, const std::string& phase,
                           const ChangePod& change = {}) {
  return FakePod("p" + std::to_string(index), phase, [&](core::v1::Pod& pod) {
    pod.metadata.annotations[kCompletionIndex] = std::to_string(index);
    if (change) change(pod);
  });
}

// Changes of pods.
inline void Untrack(core::v1::Pod& pod) { pod.metadata.finalizers.clear(); }
inline void Delete(core::v1::Pod& pod) { pod.metadata.deletionTimestamp = api::Time(kNow); }
/// Its only container ended so long ago.
inline ChangePod EndedAgo(std::chrono::seconds ago, std::int32_t exit_code = 0) {
  return [=](core::v1::Pod& pod) {
    core::v1::ContainerStatus& status = pod.status.containerStatuses.emplace_back();
    status.name = "main";
    core::v1::ContainerStateTerminated& terminated = status.state.terminated.emplace();
    terminated.exitCode = exit_code;
    terminated.finishedAt = api::Time(kNow - ago);
  };
}
/// How often its index failed before, and how often that was ignored.
inline ChangePod After(int failures, int ignored = 0) {
  return [=](core::v1::Pod& pod) {
    pod.metadata.annotations[kIndexFailureCount] = std::to_string(failures);
    if (ignored > 0) {
      pod.metadata.annotations[kIndexIgnoredFailureCount] = std::to_string(ignored);
    }
  };
}
inline ChangePod Both(const ChangePod& first, const ChangePod& second) {
  return [=](core::v1::Pod& pod) {
    first(pod);
    second(pod);
  };
}

inline std::vector<std::string> NamesOf(const std::vector<JobPod>& pods) {
  std::vector<std::string> names;
  for (const JobPod& its : pods) names.emplace_back(its.pod().metadata.name);
  return names;
}

/// A rule for exit codes of any container.
inline batch::v1::PodFailurePolicyRule ExitCodeRule(const std::string& action,
                                                    const std::string& op,
                                                    std::vector<std::int32_t> values) {
  batch::v1::PodFailurePolicyRule rule;
  rule.action = action;
  auto& codes = rule.onExitCodes.emplace();
  codes.operator_ = op;
  codes.values = std::move(values);
  return rule;
}
inline batch::v1::PodFailurePolicyRule ConditionRule(const std::string& action,
                                                     const std::string& type,
                                                     const std::string& status = "True") {
  batch::v1::PodFailurePolicyRule rule;
  rule.action = action;
  auto& pattern = rule.onPodConditions.emplace_back();
  pattern.type = type;
  pattern.status = status;
  return rule;
}

}  // namespace flyball::controllers::job

#include "flyball/controllers/job/new_pods.h"

#include <algorithm>
#include <string>

#include "flyball/base/wrapping.h"
#include "flyball/controllers/common/controller_ref.h"
#include "flyball/controllers/common/pod_from_template.h"
#include "flyball/controllers/job/failure_policy.h"
#include "flyball/controllers/job/job_spec.h"

namespace flyball::controllers::job {
namespace {

using batch::v1::Job;
using core::v1::Pod;

constexpr std::string_view kIndexVariable = "JOB_COMPLETION_INDEX";
/// What the server leaves of a generateName: a name's 63 less the five characters it adds.
constexpr std::size_t kLongestPrefix = 58;

void TellContainers(std::vector<core::v1::Container>& containers) {
  for (core::v1::Container& container : containers) {
    const bool has_one = std::ranges::any_of(
        container.env, [](const auto& variable) { return variable.name == kIndexVariable; });
    if (has_one) continue;
    core::v1::EnvVar& variable = container.env.emplace_back();
    variable.name = kIndexVariable;
    variable.valueFrom.emplace().fieldRef.emplace().fieldPath =
        "metadata.labels['" + std::string(kCompletionIndex) + "']";
  }
}

std::string NamePrefix(const std::string& job, const std::string& index) {
  const std::string end = "-" + index + "-";
  if (job.size() + end.size() <= kLongestPrefix) return job + end;
  return job.substr(0, kLongestPrefix - end.size()) + end;
}

/// What an index has behind it if this pod of its was the last to fail.
void CountFailures(const Job& job, const JobSyncState& sync_state, std::int64_t index, Pod& pod) {
  std::int32_t failures = 0;
  std::int32_t ignored = 0;
  if (const auto last = sync_state.to_replace.find(index); last != sync_state.to_replace.end()) {
    const views::Pod& failed = *last->second;
    failures = FailuresBefore(failed);
    ignored = IgnoredFailuresBefore(failed);
    std::int32_t& count = HandlingOf(failed, job).counts ? failures : ignored;
    // PARITY: it wraps, and counts as 0 from then on.
    count = WrappingAdd(count, 1);
  }
  pod.metadata.annotations[kIndexFailureCount] = std::to_string(failures);
  if (ignored > 0) pod.metadata.annotations[kIndexIgnoredFailureCount] = std::to_string(ignored);
}

}  // namespace

Pod NewPod(const Job& job) {
  Pod pod = common::PodFromTemplate(job.spec.template_, job.metadata.namespace_,
                                    common::ControllerRefTo(job));
  auto& finalizers = pod.metadata.finalizers;
  if (std::ranges::find(finalizers, kTrackingFinalizer) == finalizers.end()) {
    finalizers.emplace_back(kTrackingFinalizer);
  }
  return pod;
}

std::vector<Pod> NewPodsOfIndexes(const Job& job, const JobSyncState& sync_state,
                                  std::span<const std::int64_t> indexes) {
  Pod pod = NewPod(job);
  TellContainers(pod.spec.initContainers);
  TellContainers(pod.spec.containers);
  std::vector<Pod> pods;
  pods.reserve(indexes.size());
  for (const std::int64_t index : indexes) {
    const std::string text = std::to_string(index);
    Pod& its = pods.emplace_back(pod);
    its.metadata.annotations[kCompletionIndex] = text;
    its.metadata.labels[kCompletionIndex] = text;
    its.metadata.generateName = NamePrefix(job.metadata.name, text);
    its.spec.hostname = job.metadata.name + "-" + text;
    if (LimitsPerIndex(job)) CountFailures(job, sync_state, index, its);
  }
  return pods;
}

}  // namespace flyball::controllers::job

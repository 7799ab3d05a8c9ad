#include <limits>

#include "flyball/api/batch/v1.h"
#include "flyball/api/internal/default_rule.h"

/// Defaults of Jobs and CronJobs. Their pod templates are in defaulting_pod.cc.
namespace flyball::api {
namespace {

using namespace batch::v1;

/// Nothing said means one pod that succeeds once. Parallelism alone is a work queue, which is done
/// when its pods say so.
void CompleteOnce(Job& job) {
  if (!job.spec.completions && !job.spec.parallelism) job.spec.completions = 1;
}

/// Where every index has a limit of its own, the whole Job needs none.
void LimitBackoff(Job& job) {
  if (job.spec.backoffLimit) return;
  job.spec.backoffLimit =
      job.spec.backoffLimitPerIndex ? std::numeric_limits<std::int32_t>::max() : 6;
}

void TakeLabelsOfTemplate(Job& job) {
  if (job.metadata.labels.empty()) job.metadata.labels = job.spec.template_.metadata.labels;
}

/// A policy that judges failures has to wait until the pod has failed.
void ReplacePods(Job& job) {
  if (job.spec.podReplacementPolicy) return;
  job.spec.podReplacementPolicy = job.spec.podFailurePolicy ? "Failed" : "TerminatingOrFailed";
}

constexpr const TypeInfo* kKinds[] = {&CronJob::kType, &Job::kType};

constexpr DefaultRule kRules[] = {
    // Not of the spec: a CronJob's template gets these when it becomes a Job.
    Compute<CompleteOnce>(),
    Default<&Job::spec, &JobSpec::parallelism>(1),
    Compute<LimitBackoff>(),
    Compute<TakeLabelsOfTemplate>(),
    Default<&Job::spec, &JobSpec::completionMode>("NonIndexed"),
    Default<&Job::spec, &JobSpec::suspend>(false),
    Compute<ReplacePods>(),
    Default<&Job::spec, &JobSpec::manualSelector>(false),
    Default<&PodFailurePolicyOnPodConditionsPattern::status>("True"),

    Default<&CronJobSpec::concurrencyPolicy>("Allow"),
    Default<&CronJobSpec::suspend>(false),
    Default<&CronJobSpec::successfulJobsHistoryLimit>(3),
    Default<&CronJobSpec::failedJobsHistoryLimit>(1),
};

}  // namespace

constexpr DefaultTable kBatchDefaults = {kKinds, kRules};

}  // namespace flyball::api

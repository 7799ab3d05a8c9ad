#include <limits>

#include "flyball/api/batch/v1.h"
#include "flyball/api/internal/default_rule.h"

/// Defaults of Jobs and CronJobs. Their pod templates are in defaulting_pod.cc.
namespace flyball::api {
namespace {

namespace v1 = batch::v1;

/// Nothing said means one pod that succeeds once. Parallelism alone is a work queue, which is done
/// when its pods say so.
void CompleteOnce(v1::Job& job) {
  if (!job.spec.completions && !job.spec.parallelism) job.spec.completions = 1;
}

/// Where every index has a limit of its own, the whole Job needs none.
void LimitBackoff(v1::Job& job) {
  if (job.spec.backoffLimit) return;
  job.spec.backoffLimit =
      job.spec.backoffLimitPerIndex ? std::numeric_limits<std::int32_t>::max() : 6;
}

void TakeLabelsOfTemplate(v1::Job& job) {
  if (job.metadata.labels.empty()) job.metadata.labels = job.spec.template_.metadata.labels;
}

/// A policy that judges failures has to wait until the pod has failed.
void ReplacePods(v1::Job& job) {
  if (job.spec.podReplacementPolicy) return;
  job.spec.podReplacementPolicy = job.spec.podFailurePolicy ? "Failed" : "TerminatingOrFailed";
}

constexpr const TypeInfo* kKinds[] = {&v1::CronJob::kType, &v1::Job::kType};

constexpr DefaultRule kRules[] = {
    // Not of the spec: a CronJob's template gets these when it becomes a Job.
    Compute<CompleteOnce>(),
    Default<&v1::Job::spec, &v1::JobSpec::parallelism>(1),
    Compute<LimitBackoff>(),
    Compute<TakeLabelsOfTemplate>(),
    Default<&v1::Job::spec, &v1::JobSpec::completionMode>("NonIndexed"),
    Default<&v1::Job::spec, &v1::JobSpec::suspend>(false),
    Compute<ReplacePods>(),
    Default<&v1::Job::spec, &v1::JobSpec::manualSelector>(false),
    Default<&v1::PodFailurePolicyOnPodConditionsPattern::status>("True"),

    Default<&v1::CronJobSpec::concurrencyPolicy>("Allow"),
    Default<&v1::CronJobSpec::suspend>(false),
    Default<&v1::CronJobSpec::successfulJobsHistoryLimit>(3),
    Default<&v1::CronJobSpec::failedJobsHistoryLimit>(1),
};

}  // namespace

constexpr DefaultTable kBatchDefaults = {kKinds, kRules};

}  // namespace flyball::api

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flyball/api/batch/v1.h"
#include "flyball/api/label_selector.h"
#include "flyball/sandbox/kinds/checks.h"
#include "flyball/sandbox/kinds/kinds.h"
#include "flyball/sandbox/kinds/pod_checks.h"
#include "flyball/sandbox/kinds/strategy_for.h"
#include "flyball/sandbox/kinds/workload_checks.h"

namespace flyball::sandbox {
namespace {

using batch::v1::CronJob;
using batch::v1::Job;
using batch::v1::JobSpec;

constexpr std::string_view kUidLabel = "batch.kubernetes.io/controller-uid";
constexpr std::string_view kNameLabel = "batch.kubernetes.io/job-name";

/// A job's pods are told apart by its uid, under names of today and of before.
void SetSelector(Job& job) {
  auto& labels = job.spec.template_.metadata.labels;
  const auto add = [&](std::string_view key, const std::string& value) {
    if (!labels.contains(key)) labels[key] = value;
  };
  add("job-name", job.metadata.name);
  add(kNameLabel, job.metadata.name);
  add("controller-uid", job.metadata.uid);
  add(kUidLabel, job.metadata.uid);
  auto& wanted = job.spec.selector.get_or_emplace().matchLabels;
  if (!wanted.contains(kUidLabel)) wanted[kUidLabel] = job.metadata.uid;
}

void CheckCounts(const JobSpec& spec, const std::string& path, FieldErrors& errors) {
  CheckNotNegative(spec.parallelism, path + ".parallelism", errors);
  CheckNotNegative(spec.completions, path + ".completions", errors);
  if (spec.activeDeadlineSeconds) {
    CheckNotNegative(*spec.activeDeadlineSeconds, path + ".activeDeadlineSeconds", errors);
  }
  CheckNotNegative(spec.backoffLimit, path + ".backoffLimit", errors);
  CheckNotNegative(spec.ttlSecondsAfterFinished, path + ".ttlSecondsAfterFinished", errors);
  CheckNotNegative(spec.backoffLimitPerIndex, path + ".backoffLimitPerIndex", errors);
  CheckNotNegative(spec.maxFailedIndexes, path + ".maxFailedIndexes", errors);
  if (spec.maxFailedIndexes && !spec.backoffLimitPerIndex) {
    errors.push_back(
        FieldError::Required(path + ".backoffLimitPerIndex", "when maxFailedIndexes is specified"));
  }
}

void CheckMode(const JobSpec& spec, const std::string& path, FieldErrors& errors) {
  const std::string mode = spec.completionMode.value_or("NonIndexed");
  CheckOneOf(mode, {"NonIndexed", "Indexed"}, path + ".completionMode", errors);
  if (mode == "Indexed") {
    if (!spec.completions) {
      errors.push_back(
          FieldError::Required(path + ".completions", "when completion mode is Indexed"));
    }
    return;
  }
  const std::string why = "requires indexed completion mode";
  if (spec.backoffLimitPerIndex) {
    errors.push_back(
        FieldError::InvalidNumber(path + ".backoffLimitPerIndex", *spec.backoffLimitPerIndex, why));
  }
  if (spec.maxFailedIndexes) {
    errors.push_back(
        FieldError::InvalidNumber(path + ".maxFailedIndexes", *spec.maxFailedIndexes, why));
  }
  if (spec.successPolicy) {
    errors.push_back(
        {FieldError::Kind::kInvalid, path + ".successPolicy", Shown(*spec.successPolicy), why});
  }
}

void CheckJobSpec(const JobSpec& spec, const std::string& path, FieldErrors& errors) {
  CheckCounts(spec, path, errors);
  CheckMode(spec, path, errors);
  CheckPodTemplate(spec.template_, path + ".template", errors);
  const std::string& policy = spec.template_.spec.restartPolicy;
  const std::string at = path + ".template.spec.restartPolicy";
  if (policy == "Always" || policy.empty()) {
    errors.push_back(FieldError::Required(at, "valid values: \"OnFailure\", \"Never\""));
  } else if (policy != "OnFailure" && policy != "Never") {
    errors.push_back(FieldError::NotSupported(at, policy, {"OnFailure", "Never"}));
  } else if (spec.podFailurePolicy && policy != "Never") {
    errors.push_back(FieldError::Invalid(
        at, policy, "only \"Never\" is supported when podFailurePolicy is specified"));
  }
}

class JobKind final : public StrategyFor<Job> {
  void PrepareNew(Job& job, const Write&) const override {
    auto& labels = job.metadata.labels;
    // Where the job has none of its own, its pods' are its labels too.
    const bool as_its_pods = labels.empty() || labels == job.spec.template_.metadata.labels;
    if (!job.spec.manualSelector.value_or(false)) SetSelector(job);
    if (as_its_pods) labels = job.spec.template_.metadata.labels;
  }

  FieldErrors CheckNew(const Job& job, const Write&) const override {
    FieldErrors errors;
    CheckGeneratedSelector(job, errors);
    CheckJobSpec(job.spec, "spec", errors);
    CheckOwnSelector(job, errors);
    return errors;
  }

  static void CheckGeneratedSelector(const Job& job, FieldErrors& errors) {
    const auto& selector = job.spec.selector;
    if (job.spec.manualSelector.value_or(false) || !selector) return;
    if (selector->matchLabels.size() == 1 && selector->matchExpressions.empty()) return;
    errors.push_back({FieldError::Kind::kInvalid, "spec.selector", Shown(*selector),
                      "`selector` not auto-generated"});
  }

  static void CheckOwnSelector(const Job& job, FieldErrors& errors) {
    const auto& labels = job.spec.template_.metadata.labels;
    if (job.spec.selector) {
      CheckSelector(*job.spec.selector, "spec.selector", errors);
    } else {
      errors.push_back(FieldError::Required("spec.selector", ""));
    }
    const auto selector = api::Selector::FromMessage(job.spec.selector);
    if (!selector || selector->Matches(labels)) return;
    errors.push_back({FieldError::Kind::kInvalid, "spec.template.metadata.labels",
                      ShownLabels(labels), "`selector` does not match template `labels`"});
  }

  FieldErrors CheckChange(const Job& now, const Job& before, const Write& write) const override {
    if (write.subresource == "status") return CheckStatus(now, before);
    FieldErrors errors;
    CheckJobSpec(now.spec, "spec", errors);
    CheckOwnSelector(now, errors);
    const std::string immutable = "field is immutable";
    CheckCompletions(now.spec, before.spec, errors);
    CheckSelectorUnchanged(now.spec.selector, before.spec.selector, errors);
    if (!SameTemplate(now, before)) {
      errors.push_back(
          {FieldError::Kind::kInvalid, "spec.template", Shown(now.spec.template_), immutable});
    }
    if (now.spec.completionMode != before.spec.completionMode) {
      errors.push_back(FieldError::Invalid("spec.completionMode",
                                           now.spec.completionMode.value_or(""), immutable));
    }
    if (now.spec.managedBy != before.spec.managedBy) {
      errors.push_back(
          FieldError::Invalid("spec.managedBy", now.spec.managedBy.value_or(""), immutable));
    }
    return errors;
  }

  static bool Holds(const Job& job, std::string_view type) {
    return std::ranges::any_of(job.status.conditions, [&](const auto& condition) {
      return condition.type == type && condition.status == "True";
    });
  }

  static FieldErrors CheckStatus(const Job& now, const Job& before) {
    FieldErrors errors;
    const auto& status = now.status;
    CheckNotNegative(std::int64_t{status.active}, "status.active", errors);
    CheckNotNegative(std::int64_t{status.succeeded}, "status.succeeded", errors);
    CheckNotNegative(std::int64_t{status.failed}, "status.failed", errors);
    CheckNotNegative(status.ready, "status.ready", errors);
    CheckNotNegative(status.terminating, "status.terminating", errors);
    // What was already so may stay.
    if (!Holds(now, "Complete") || Holds(before, "Complete")) return errors;
    if (!status.completionTime) {
      errors.push_back(FieldError::Required("status.completionTime",
                                            "completionTime is required for Complete jobs"));
    }
    if (!Holds(now, "SuccessCriteriaMet")) {
      errors.push_back(
          {FieldError::Kind::kInvalid, "status.conditions", "",
           "cannot set Complete=True condition without the SuccessCriteriaMet=true condition"});
    }
    return errors;
  }

  /// The number of an indexed job may change with its parallelism, and be the same.
  static void CheckCompletions(const JobSpec& now, const JobSpec& before, FieldErrors& errors) {
    if (now.completions == before.completions) return;
    if (now.completionMode == "Indexed" && now.completions == now.parallelism) return;
    const std::string shown = now.completions ? std::to_string(*now.completions) : "null";
    errors.push_back({FieldError::Kind::kInvalid, "spec.completions", shown,
                      now.completionMode == "Indexed"
                          ? "can only be modified in tandem with spec.parallelism"
                          : "field is immutable"});
  }

  /// Where a job that has not begun goes may still change.
  static bool SameTemplate(const Job& now, const Job& before) {
    if (now.spec.template_ == before.spec.template_) return true;
    if (!before.spec.suspend.value_or(false) || before.status.startTime) return false;
    core::v1::PodTemplateSpec like = now.spec.template_;
    const core::v1::PodTemplateSpec& old = before.spec.template_;
    like.metadata.labels = old.metadata.labels;
    like.metadata.annotations = old.metadata.annotations;
    like.spec.nodeSelector = old.spec.nodeSelector;
    like.spec.affinity = old.spec.affinity;
    like.spec.tolerations = old.spec.tolerations;
    like.spec.schedulingGates = old.spec.schedulingGates;
    return like == old;
  }
};

std::size_t FieldsIn(std::string_view text) {
  std::size_t fields = 0;
  bool within = false;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\t';
    if (!space && !within) ++fields;
    within = !space;
  }
  return fields;
}

class CronJobKind final : public StrategyFor<CronJob> {
  FieldErrors CheckNew(const CronJob& cron, const Write&) const override {
    FieldErrors errors;
    const auto& spec = cron.spec;
    CheckSchedule(spec.schedule, errors);
    if (spec.startingDeadlineSeconds) {
      CheckNotNegative(*spec.startingDeadlineSeconds, "spec.startingDeadlineSeconds", errors);
    }
    CheckOneOf(spec.concurrencyPolicy, {"Allow", "Forbid", "Replace"}, "spec.concurrencyPolicy",
               errors);
    if (spec.jobTemplate.spec.manualSelector.value_or(false)) {
      errors.push_back({FieldError::Kind::kNotSupported, "spec.jobTemplate.spec.manualSelector",
                        "true", "supported values: \"nil\", \"false\""});
    }
    CheckJobSpec(spec.jobTemplate.spec, "spec.jobTemplate.spec", errors);
    CheckNotNegative(spec.successfulJobsHistoryLimit, "spec.successfulJobsHistoryLimit", errors);
    CheckNotNegative(spec.failedJobsHistoryLimit, "spec.failedJobsHistoryLimit", errors);
    // A job's name has the time of its start behind this.
    if (cron.metadata.name.size() > 52) {
      errors.push_back(FieldError::Invalid("metadata.name", cron.metadata.name,
                                           "must be no more than 52 characters"));
    }
    return errors;
  }

  FieldErrors CheckChange(const CronJob& now, const CronJob&, const Write& write) const override {
    return write.subresource == "status" ? FieldErrors() : CheckNew(now, write);
  }

  static void CheckSchedule(const std::string& schedule, FieldErrors& errors) {
    const std::string path = "spec.schedule";
    if (schedule.empty()) {
      errors.push_back(FieldError::Required(path, ""));
      return;
    }
    // DIVERGES: the fields are counted, and read by the controller only.
    const std::size_t fields = FieldsIn(schedule);
    if (!schedule.starts_with('@') && !schedule.contains("TZ") && fields != 5) {
      errors.push_back(FieldError::Invalid(
          path, schedule,
          "expected exactly 5 fields, found " + std::to_string(fields) + ": [" + schedule + "]"));
    }
    if (schedule.contains("TZ")) {
      errors.push_back(FieldError::Invalid(
          path, schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"));
    }
  }
};

}  // namespace

const RestStrategy& JobRestStrategy() {
  static const JobKind kStrategy;
  return kStrategy;
}

const RestStrategy& CronJobRestStrategy() {
  static const CronJobKind kStrategy;
  return kStrategy;
}

}  // namespace flyball::sandbox

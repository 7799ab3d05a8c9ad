#include "tests/faults/job_invariants.h"

#include <algorithm>
#include <functional>
#include <sstream>

namespace flyball::faults {
namespace {

constexpr const char* kFinalizer = "batch.kubernetes.io/job-tracking";
constexpr const char* kIndex = "batch.kubernetes.io/job-completion-index";

bool IsIndexed(const batch::v1::Job& job) { return job.spec.completionMode == "Indexed"; }

bool HasEnded(const batch::v1::Job& job) {
  return std::ranges::any_of(job.status.conditions, [](const auto& condition) {
    return (condition.type == "Complete" || condition.type == "Failed") &&
           condition.status == "True";
  });
}

/// "0,2-4" one by one.
std::vector<std::string> Written(const std::string& indexes) {
  std::vector<std::string> all;
  std::istringstream intervals(indexes);
  for (std::string interval; std::getline(intervals, interval, ',');) {
    const auto dash = interval.find('-');
    const int first = std::stoi(interval);
    const int last = dash == std::string::npos ? first : std::stoi(interval.substr(dash + 1));
    for (int index = first; index <= last; ++index) all.push_back(std::to_string(index));
  }
  return all;
}

}  // namespace

void JobInvariants::TellOfJob(const std::string& uid, const std::optional<batch::v1::Job>& told) {
  if (!told) {
    jobs_.erase(uid);
    return;
  }
  if (told->spec.managedBy && *told->spec.managedBy != "kubernetes.io/job-controller") return;
  const bool suspended = told->spec.suspend.value_or(false);
  Job& job = jobs_[uid];
  job.asks_for = suspended ? 0 : told->spec.parallelism.value_or(1);
  job.most_active = std::max(job.most_active, job.asks_for);
  JudgeLedger(*told, job);
  JudgeStatus(uid, *told);
  if (HasEnded(*told)) JudgeEnd(uid, *told);
}

void JobInvariants::TellOfPod(const std::string& uid, const std::optional<core::v1::Pod>& told) {
  const auto known = pods_.find(uid);
  if (!told) {
    if (known == pods_.end()) return;
    // That its finalizer is taken away may be what ends it.
    known->second.active = known->second.tracked = false;
    return;
  }
  Pod& pod = pods_[uid];
  pod.name = told->metadata.name;
  for (const auto& owner : told->metadata.ownerReferences) {
    if (!owner.controller.value_or(false) || owner.kind != "Job") continue;
    pod.job = owner.uid;
    pods_of_[pod.job].insert(uid);
  }
  const auto* const index = told->metadata.annotations.find(kIndex);
  pod.index = index == nullptr ? "" : *index;
  pod.tracked =
      std::ranges::find(told->metadata.finalizers, kFinalizer) != told->metadata.finalizers.end();
  const bool succeeded = told->status.phase == "Succeeded";
  const bool over = succeeded || told->status.phase == "Failed";
  const bool ends = told->metadata.deletionTimestamp.has_value();
  pod.active = !over && !ends;
  if (pod.tracked && succeeded) pod.succeeded = true;
  if (pod.tracked && !succeeded && (over || ends)) pod.failed = true;
  if (known == pods_.end()) JudgeCreation(pod);
}

void JobInvariants::Checkpoint() {
  for (auto& [uid, job] : jobs_) job.most_active = job.asks_for;
}

template <typename Which>
std::int64_t JobInvariants::CountPods(const std::string& job, Which which) const {
  const auto its = pods_of_.find(job);
  if (its == pods_of_.end()) return 0;
  return std::ranges::count_if(its->second, [&](const std::string& uid) {
    const Pod& pod = pods_.at(uid);
    return pod.job == job && std::invoke(which, pod);
  });
}

std::set<std::string> JobInvariants::SucceededIndexes(const std::string& job) const {
  std::set<std::string> indexes;
  (void)CountPods(job, [&](const Pod& pod) {
    if (pod.succeeded) indexes.insert(pod.index);
    return pod.succeeded;
  });
  return indexes;
}

void JobInvariants::JudgeCreation(const Pod& pod) {
  const auto job = jobs_.find(pod.job);
  if (job == jobs_.end() || !pod.active) return;
  const std::int64_t active = CountPods(pod.job, &Pod::active);
  if (active > job->second.most_active) {
    Violated("pod " + pod.name + " is made: its job has " + std::to_string(active) +
             " at work now, and asks for " + std::to_string(job->second.most_active));
  }
  if (pod.index.empty()) return;
  const auto twins = CountPods(
      pod.job, [&](const Pod& other) { return other.active && other.index == pod.index; });
  if (twins > 1) Violated("pod " + pod.name + " is made: another is at work on its index");
  if (SucceededIndexes(pod.job).contains(pod.index)) {
    Violated("pod " + pod.name + " is made: its index has succeeded");
  }
}

void JobInvariants::JudgeLedger(const batch::v1::Job& job, Job& known) {
  const std::string who = "job " + job.metadata.name;
  const auto written = [](const batch::v1::JobStatus& status, auto list) {
    return status.uncountedTerminatedPods ? (*status.uncountedTerminatedPods).*list
                                          : std::vector<std::string>();
  };
  using Uncounted = batch::v1::UncountedTerminatedPods;
  const auto struck_out = [&](auto list) {
    const auto before = written(known.last, list);
    const auto now = written(job.status, list);
    std::int64_t count = 0;
    for (const std::string& uid : before) {
      if (std::ranges::find(now, uid) != now.end()) continue;
      known.struck_out.insert(uid);
      ++count;
    }
    return count;
  };
  const auto judge = [&](const char* what, std::int64_t before, std::int64_t now,
                         std::int64_t struck) {
    if (now - before == struck) return;
    Violated(who + " counted " + std::to_string(before) + what + " and counts " +
             std::to_string(now) + " now, and has struck out " + std::to_string(struck));
  };
  judge(" failures", known.last.failed, job.status.failed, struck_out(&Uncounted::failed));
  const std::int64_t succeeded = struck_out(&Uncounted::succeeded);
  if (!IsIndexed(job)) judge(" successes", known.last.succeeded, job.status.succeeded, succeeded);
  if (job.status.succeeded < known.last.succeeded) Violated(who + " takes a success back");
  for (const auto list : {&Uncounted::failed, &Uncounted::succeeded}) {
    for (const std::string& uid : written(job.status, list)) {
      if (known.struck_out.contains(uid)) Violated(who + " has written down " + uid + " twice");
    }
  }
  known.last = job.status;
}

void JobInvariants::JudgeStatus(const std::string& uid, const batch::v1::Job& job) {
  const auto& status = job.status;
  std::int64_t succeeded = status.succeeded;
  std::int64_t failed = status.failed;
  if (const auto& uncounted = status.uncountedTerminatedPods) {
    succeeded += std::ssize(uncounted->succeeded);
    failed += std::ssize(uncounted->failed);
  }
  const std::int64_t real =
      IsIndexed(job) ? std::ssize(SucceededIndexes(uid)) : CountPods(uid, &Pod::succeeded);
  if (succeeded > real) {
    Violated("job " + job.metadata.name + " counts " + std::to_string(succeeded) +
             " successes of " + std::to_string(real));
  }
  const std::int64_t real_failed = CountPods(uid, &Pod::failed);
  if (failed > real_failed) {
    Violated("job " + job.metadata.name + " counts " + std::to_string(failed) + " failures of " +
             std::to_string(real_failed));
  }
  const std::set<std::string> indexes = SucceededIndexes(uid);
  std::set<std::string> completed;
  for (const std::string& index : Written(status.completedIndexes)) {
    if (!completed.insert(index).second) {
      Violated("job " + job.metadata.name + " has completed index " + index + " twice");
    }
    if (indexes.contains(index)) continue;
    Violated("job " + job.metadata.name + " takes index " + index + " for completed");
  }
}

void JobInvariants::JudgeEnd(const std::string& uid, const batch::v1::Job& job) {
  const std::string who = "job " + job.metadata.name + " has ended";
  const std::int64_t tracked = CountPods(uid, &Pod::tracked);
  if (tracked > 0) Violated(who + ", and " + std::to_string(tracked) + " pods are not counted");
  if (IsIndexed(job)) {
    const std::int64_t written = std::ssize(Written(job.status.completedIndexes));
    JudgeTotal(who, "successes", job.status.succeeded, written, written);
  } else {
    const std::int64_t surely =
        CountPods(uid, [](const Pod& pod) { return pod.succeeded && !pod.failed; });
    JudgeTotal(who, "successes", job.status.succeeded, surely, CountPods(uid, &Pod::succeeded));
  }
  // Policies let failures pass, and end pods that have not failed.
  if (job.spec.podFailurePolicy || job.spec.successPolicy) return;
  const std::int64_t surely =
      CountPods(uid, [](const Pod& pod) { return pod.failed && !pod.succeeded; });
  JudgeTotal(who, "failures", job.status.failed, surely, CountPods(uid, &Pod::failed));
}

void JobInvariants::JudgeTotal(const std::string& who, const char* what, std::int64_t counted,
                               std::int64_t least, std::int64_t most) {
  if (counted >= least && counted <= most) return;
  Violated(who + " with " + std::to_string(counted) + " " + what + " of " +
           std::to_string(counted < least ? least : most));
}

}  // namespace flyball::faults

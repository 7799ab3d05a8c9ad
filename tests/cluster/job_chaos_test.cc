// Jobs on a real API server while everything around them breaks: managers are killed, watches cut,
// the API server dies; pods fail at random, and people delete some. Each revision that etcd ever
// had is held against what managers promise of counting, and in the end every index has succeeded
// once and every failure is counted.
//
// FLYBALL_CHAOS_JOBS sets how many jobs, FLYBALL_CHAOS_COMPLETIONS of how many each,
// FLYBALL_CHAOS_SEED what happens in which order.

#include <algorithm>
#include <deque>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "flyball/api/batch/v1.h"
#include "flyball/api/kubelet_views.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cluster/chaos.h"
#include "tests/cluster/namespace_history.h"
#include "tests/cluster/simulated_cluster.h"
#include "tests/faults/job_invariants.h"

namespace flyball::cluster {
namespace {

using namespace std::chrono_literals;
using batch::v1::Job;
using core::v1::Pod;
using testing::IsEmpty;

constexpr int kExcused = 42;  // exit code, of jobs that have a rule for it

bool HasRule(int number) { return number % 4 == 3; }
bool IsIndexed(int number) { return number % 8 != 4; }

std::string NameOf(int number) { return "job-" + std::to_string(number); }
int NumberOf(const std::string& pod) { return std::stoi(pod.substr(4)); }  // job-12-...

bool IsComplete(const Job& job) {
  return std::ranges::any_of(job.status.conditions, [](const auto& condition) {
    return condition.type == "Complete" && condition.status == "True";
  });
}

/// What became of pods, by the number of their job, as etcd has it.
struct Fates {
  std::map<int, std::set<std::string>> failed;  ///< uids; but for those that a rule excuses
  std::int64_t succeeded = 0, excused = 0, deleted = 0;

  void See(const Seen<Pod>& seen) {
    if (seen.now == nullptr || seen.before == nullptr) return;
    const int number = NumberOf(seen.now->metadata.name);
    const bool ends =
        seen.now->metadata.deletionTimestamp && !seen.before->metadata.deletionTimestamp;
    if (ends && seen.before->status.phase == "Running") ++deleted;
    if (seen.now->status.phase == seen.before->status.phase) return;
    if (seen.now->status.phase == "Succeeded") ++succeeded;
    if (seen.now->status.phase != "Failed") return;
    if (HasRule(number) && ExitCodeOf(*seen.now) == kExcused) {
      ++excused;
    } else {
      failed[number].insert(seen.uid());
    }
  }
  static int ExitCodeOf(const Pod& pod) {
    if (pod.status.containerStatuses.empty()) return -1;
    const auto& end = pod.status.containerStatuses.front().state.terminated;
    return end ? end->exitCode : -1;
  }
};

class JobChaosTest : public Chaos<BinaryTest> {
 protected:
  JobChaosTest() { simulated_.informers().Of<Job>(); }

  void SetUp() override {
    BinaryTest::SetUp();
    Must(simulated_.Start());
    using History = NamespaceHistory;
    auto history =
        History::Follow(real_plane(), executor(), network(), space_,
                        {History::Each<Job>("/registry/jobs/",
                                            [this](const Seen<Job>& seen) {
                                              ++changes_;
                                              invariants_.TellOfJob(seen.uid(), seen.copy());
                                            }),
                         History::Each<Pod>("/registry/pods/", [this](const Seen<Pod>& seen) {
                           ++changes_;
                           invariants_.TellOfPod(seen.uid(), seen.copy());
                           fates_.See(seen);
                         })});
    ASSERT_TRUE(history) << history.error().Describe();
    history_ = *std::move(history);
  }

  /// Each counts in its own way: all at once, by index, replaced only when gone, with excuses.
  Job Describe(int number) const {
    Job job;
    job.metadata.namespace_ = space_;
    job.metadata.name = NameOf(number);
    job.spec.completions = completions_;
    job.spec.parallelism = number % 2 == 0 ? completions_ : completions_ / 2 + 1;
    job.spec.completionMode = IsIndexed(number) ? "Indexed" : "NonIndexed";
    job.spec.backoffLimit = 1'000'000;
    if (number % 4 == 1) {
      job.spec.backoffLimit.reset();
      job.spec.backoffLimitPerIndex = 1'000;
    }
    if (number % 4 == 2) job.spec.podReplacementPolicy = "Failed";
    if (HasRule(number)) {
      auto& rule = job.spec.podFailurePolicy.emplace().rules.emplace_back();
      rule.action = "Ignore";
      rule.onExitCodes.emplace().operator_ = "In";
      rule.onExitCodes->values = {kExcused};
    }
    job.spec.template_.metadata.annotations = {{"simulation.flyball.dev/run-time", "forever"}};
    job.spec.template_.spec.restartPolicy = "Never";
    auto& container = job.spec.template_.spec.containers.emplace_back();
    container.name = "only";
    container.image = "none";
    return job;
  }

  void Order() override {
    CreateJobs();
    DecideFates();
    if (Below(10) == 0) DeletePod();
  }
  void CreateJobs() {
    while (created_ < std::min(allowed_, jobs_)) {
      const auto made = All<Job>().Create(Describe(created_));
      if (!made && made.error().code() != ErrorCode::kAlreadyExists) return;
      ++created_;
    }
  }

  std::vector<std::shared_ptr<const views::KubeletPod>> RunningPods() {
    auto pods = simulated_.informers().Of<views::KubeletPod>().lister().InNamespace(space_);
    std::erase_if(pods, [](const auto& pod) {
      return pod->status.phase != "Running" || pod->metadata.deletionTimestamp;
    });
    return pods;
  }
  /// Of five pods one; but none of an index for a fifth time, since it waits twice as long after
  /// each: of 10,000 there is one that fails six times in a row, and would take a quarter of an
  /// hour.
  bool Fails(const std::string& pod) {
    if (Below(5) != 0) return false;
    if (!IsIndexed(NumberOf(pod))) return true;
    const std::string index = pod.substr(0, pod.rfind('-'));  // job-12-3-x7k2p
    return ++failures_[index] <= 4;
  }
  /// Says of each pod that runs how it will end.
  void DecideFates() {
    std::deque<std::pair<std::string, client::Pending<Pod>>> under_way;
    const auto finish = [&] {
      if (under_way.front().second.Wait()) decided_.insert(under_way.front().first);
      under_way.pop_front();
    };
    for (const auto& pod : RunningPods()) {
      const std::string uid(pod->metadata.uid);
      const std::string name(pod->metadata.name);
      if (decided_.contains(uid)) continue;
      const bool fails = Fails(name);
      const bool is_excused = fails && HasRule(NumberOf(name)) && Below(2) == 0;
      const int code = is_excused ? kExcused : fails ? 1 : 0;
      const client::Patch patch{
          client::PatchType::kMerge,
          R"({"metadata":{"annotations":{"simulation.flyball.dev/run-time":"1ms",)"
          R"("simulation.flyball.dev/exit-code":")" +
              std::to_string(code) + R"("}}})"};
      under_way.emplace_back(uid, All<Pod>().Async().Patch({space_, name}, patch));
      if (under_way.size() >= 32) finish();
    }
    while (!under_way.empty()) finish();
  }
  /// Not of those with a rule, which looks at exit codes only.
  void DeletePod() {
    const auto pods = RunningPods();
    if (pods.empty()) return;
    const auto& pod = pods[static_cast<std::size_t>(Below(static_cast<int>(pods.size())))];
    const std::string name(pod->metadata.name);
    if (!HasRule(NumberOf(name))) (void)All<Pod>().Delete({space_, name});
  }

  bool AllAreComplete() {
    const auto all = simulated_.informers().Of<Job>().lister().InNamespace(space_);
    return std::ssize(all) == jobs_ &&
           std::ranges::all_of(all, [](const auto& job) { return IsComplete(*job); });
  }
  std::vector<std::string> Incomplete() const {
    std::vector<std::string> names;
    for (const Job& job : Must(All<Job>().ListIn(space_)).items) {
      if (!IsComplete(job)) names.push_back(job.metadata.name + ": " + job.status.completedIndexes);
    }
    return names;
  }

  /// Each index once, and each failure that etcd has ever seen.
  void ExpectExactCounts() {
    for (const Job& job : Must(All<Job>().ListIn(space_)).items) {
      SCOPED_TRACE(job.metadata.name);
      const int number = NumberOf(job.metadata.name);
      EXPECT_EQ(job.status.succeeded, completions_);
      if (IsIndexed(number)) {
        EXPECT_EQ(job.status.completedIndexes, "0-" + std::to_string(completions_ - 1));
      }
      // The invariants know of those that people deleted, and of which it is a matter of who saw
      // them first whether they failed.
      if (HasRule(number)) {
        EXPECT_EQ(job.status.failed, std::ssize(fates_.failed[number]));
      }
      EXPECT_EQ(job.status.active, 0);
    }
  }

  const int jobs_ = NumberFromEnvironment("FLYBALL_CHAOS_JOBS", 8);
  const int completions_ = NumberFromEnvironment("FLYBALL_CHAOS_COMPLETIONS", 6);
  /// So many more may be there when the next thing has broken.
  const int step_ = std::max(1, jobs_ / 50);
  int allowed_ = 2 * step_;
  int created_ = 0;
  SimulatedCluster simulated_{
      plane(),
      executor(),
      network(),
      {.nodes = 3,
       .shape = {.cpu = "1000", .pods = "10000"},
       .timings = {.start = 50ms, .ready = 0ms, .stop = 100ms, .spread = 1}}};
  const std::string space_ = NewNamespace();
  std::set<std::string> decided_;  // uids
  std::map<std::string, int> failures_;

  // While the history is still.
  std::vector<std::string> violations_;
  faults::JobInvariants invariants_{violations_};
  Fates fates_;
  std::int64_t changes_ = 0;

  std::unique_ptr<NamespaceHistory> history_;
};

TEST_F(JobChaosTest, WhateverBreaksEveryIndexSucceedsOnceAndEveryFailureIsCounted) {
  SCOPED_TRACE("seed " + std::to_string(seed_));
  Must(breakage_.Revive());
  ASSERT_TRUE(Eventually([&] { return IsFurnished(space_); }, 60s));
  while (created_ < jobs_ || !breakage_.EachHasBroken()) {
    const auto broken = breakage_.BreakNext();
    ASSERT_TRUE(broken) << broken.error().Describe();
    allowed_ += step_;
  }
  // A failure is followed by a wait, and another by a longer one.
  EXPECT_TRUE(Eventually(
      [&] {
        Must(breakage_.Revive());
        PeopleFor(200ms);
        return AllAreComplete();
      },
      300s + 2s * jobs_));
  EXPECT_THAT(Incomplete(), IsEmpty());
  Must(history_->CatchUp());
  history_->WhileStill([&] {
    ExpectExactCounts();
    EXPECT_THAT(violations_, IsEmpty());
    std::size_t failed = 0;
    for (const auto& [number, uids] : fates_.failed) failed += uids.size();
    std::cout << breakage_.Describe() << jobs_ << " jobs of " << completions_ << ": "
              << fates_.succeeded << " pods succeeded, " << failed << " failed, " << fates_.excused
              << " were excused, " << fates_.deleted << " deleted; " << changes_ << " changes\n";
    EXPECT_GT(failed, 0U);
  });
  EXPECT_THAT(breakage_.crashes(), IsEmpty());
}

}  // namespace
}  // namespace flyball::cluster

// Controllers see their own writes before they decide again, on a real API server, however late its
// watches are and however many of its answers get lost.

#include <algorithm>
#include <atomic>
#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/base/randomness.h"
#include "flyball/base/timers.h"
#include "flyball/client/client.h"
#include "flyball/runtime/controller.h"
#include "flyball/sandbox/faults.h"
#include "flyball/sandbox/sandbox.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cluster/cluster_test.h"

namespace flyball::cluster {
namespace {

using namespace std::chrono_literals;
using core::v1::Secret;
using runtime::Context;
using runtime::Outcome;
using sandbox::Fault;
using sandbox::Faults;
using sandbox::Requests;
using testing::Each;
using testing::Ge;
using testing::IsEmpty;

const std::string* ParentOf(const Secret& child) { return child.metadata.labels.find("parent"); }

/// What one reconcile of a parent found and did.
struct Pass {
  int saw = 0;
  int wrote = 0;      ///< as far as it was told
  bool lost = false;  ///< and one more that it was not told of
  int idle = 0;       ///< how often the keys that write nothing had had their turn by then
};

/// Sees to it that every parent has so many children, whose names the server makes up: two at a
/// time, so that it takes several passes. It keeps no count of its own. Keys that have nothing to
/// write are reconciled beside, by the same and only worker.
class Family {
 public:
  static constexpr int kChildren = 5;
  static constexpr int kAtOnce = 2;

  Family(runtime::Controller& controller, std::string space)
      : space_(std::move(space)),
        secrets_(controller.Reads<Secret>({.namespace_ = space_})),
        children_(secrets_.lister()),
        queue_(controller.AddQueue<std::string>(
            {.name = "families", .workers = 1},
            [this](Context& context, const std::string& key) { return Reconcile(context, key); })) {
    secrets_.AddIndex("parent", [](const Secret& child, cache::IndexValues& values) {
      if (const std::string* const parent = ParentOf(child)) values.push_back(*parent);
    });
  }

  void Add(const std::string& key) { queue_.Add(key); }
  /// Whether every parent has looked twice at a family that is complete.
  bool Complete(std::size_t parents) const {
    MutexLock lock(mutex_);
    return std::ranges::count_if(passes_, [](const auto& its) {
             const auto& passes = its.second;
             return passes.size() >= 2 && passes[passes.size() - 2].saw >= kChildren;
           }) == static_cast<std::ptrdiff_t>(parents);
  }
  std::map<std::string, std::vector<Pass>> passes() const {
    MutexLock lock(mutex_);
    return passes_;
  }

 private:
  Result<Outcome> Reconcile(Context& context, const std::string& key) {
    if (key.starts_with("idle")) {
      ++idle_;
      return Outcome::RequeueAfter(20ms);
    }
    Pass pass{.saw = static_cast<int>(children_.ByIndex("parent", key).size())};
    Result<> outcome;
    while (outcome && pass.wrote < kAtOnce && pass.saw + pass.wrote < kChildren) {
      const auto created = context.Create(ChildOf(key));
      if (!created) outcome = std::unexpected(created.error());
      if (created) ++pass.wrote;
    }
    pass.lost = !outcome;
    pass.idle = idle_;
    {
      MutexLock lock(mutex_);
      passes_[key].push_back(pass);
    }
    FLYBALL_TRY(outcome);
    return Outcome::RequeueAfter(50ms);  // looks again and again, however stale its view
  }

  Secret ChildOf(const std::string& parent) const {
    Secret child;
    child.metadata.namespace_ = space_;
    child.metadata.generateName = parent + "-";
    child.metadata.labels["parent"] = parent;
    return child;
  }

  const std::string space_;
  const cache::Informer<Secret> secrets_;
  const cache::Lister<Secret> children_;
  std::atomic<int> idle_ = 0;
  mutable Mutex mutex_;
  std::map<std::string, std::vector<Pass>> passes_ FLYBALL_GUARDED_BY(mutex_);
  runtime::ReconcileQueue<std::string>& queue_;
};

class OwnWritesTest : public ClusterTest {
 protected:
  static constexpr int kParents = 20;

  /// Has families made through these faults, and returns what was found on the way.
  std::map<std::string, std::vector<Pass>> Play() {
    sandbox::Session session(faults_, clock());
    const client::Client& client = session.client();
    Timers timers(executor());
    cache::InformerFactory informers(
        {.client = client, .executor = executor(), .timers = timers, .random = [] { return 0.5; }});
    runtime::Controller controller("families", {.client = client,
                                                .informers = informers,
                                                .executor = executor(),
                                                .timers = timers,
                                                .metrics = &metrics_,
                                                .random = ProcessRandom()});
    Family family(controller, space_);
    informers.Start();
    EXPECT_TRUE(informers.WaitForSync({}));
    controller.Start();
    for (int i = 0; i < kParents; ++i) family.Add("parent-" + std::to_string(i));
    for (int i = 0; i < 3; ++i) family.Add("idle-" + std::to_string(i));

    const SteadyTime deadline = clock().DeadlineAfter(kPatience);
    while (!family.Complete(kParents) && clock().SteadyNow() < deadline) {
      Chatter();
      clock().SleepFor(100ms);
    }
    EXPECT_TRUE(family.Complete(kParents)) << metrics_.Text();
    EXPECT_TRUE(controller.Stop(clock().DeadlineAfter(30s)));
    informers.Stop();
    return family.passes();
  }

  /// Where somebody writes now and then, watches get on. Else they do so once a minute.
  void Chatter() const {
    Secret secret;
    secret.metadata.namespace_ = space_;
    secret.metadata.generateName = "somebody-elses-";
    EXPECT_TRUE(admin_.Of<Secret>().Create(secret));
  }

  std::map<std::string, int> ChildrenByParent() const {
    std::map<std::string, int> count;
    const auto all = admin_.Of<Secret>().ListIn(space_);
    EXPECT_TRUE(all) << all.error().Describe();
    for (const Secret& child : all->items) {
      if (const std::string* const parent = ParentOf(child)) ++count[*parent];
    }
    return count;
  }

  static std::map<std::string, int> FiveEach() {
    std::map<std::string, int> count;
    for (int i = 0; i < kParents; ++i) count["parent-" + std::to_string(i)] = Family::kChildren;
    return count;
  }

  /// Passes that did not see all that was written for their key before.
  static std::vector<std::string> Blind(const std::map<std::string, std::vector<Pass>>& passes) {
    std::vector<std::string> found;
    for (const auto& [parent, its] : passes) {
      int written = 0;
      for (const Pass& pass : its) {
        if (pass.saw != written) {
          found.push_back(parent + " saw " + std::to_string(pass.saw) + " of " +
                          std::to_string(written));
        }
        written += pass.wrote + (pass.lost ? 1 : 0);
      }
    }
    return found;
  }

  /// How often the others had their turn while a parent waited for what it had written.
  static std::vector<int> TurnsOfOthers(const std::map<std::string, std::vector<Pass>>& passes) {
    std::vector<int> turns;
    for (const auto& [parent, its] : passes) {
      for (std::size_t i = 0; i + 1 < its.size(); ++i) {
        if (its[i].wrote > 0) turns.push_back(its[i + 1].idle - its[i].idle);
      }
    }
    return turns;
  }

  /// What a moment in which the machine was busy elsewhere does not change.
  static int Median(std::vector<int> turns) {
    std::ranges::sort(turns);
    return turns.empty() ? 0 : turns[turns.size() / 2];
  }

  static constexpr auto kPatience = 120s;
  const std::string space_ = NewNamespace();
  transport::HttpTransport transport_{
      network(),
      plane().TransportOptions(plane().IssueClientCertificate("families", {"system:masters"}))};
  client::RestClient rest_{{.transport = transport_, .clock = clock()}, {}};
  const client::Client admin_{rest_};
  Faults faults_{transport_, executor()};
  MetricRegistry metrics_;
};

TEST_F(OwnWritesTest, AreSeenBeforeTheNextDecisionThoughWatchesAreFiveSecondsLate) {
  faults_.OnEvents(Requests::Watches()).Delay(5s);
  const auto passes = Play();
  EXPECT_EQ(ChildrenByParent(), FiveEach());
  EXPECT_THAT(Blind(passes), IsEmpty());
  // Five seconds are 750 turns of theirs at most.
  EXPECT_THAT(TurnsOfOthers(passes), Each(Ge(10)));
  EXPECT_GE(Median(TurnsOfOthers(passes)), 50);
}

TEST_F(OwnWritesTest, AreMadeOnceThoughEveryTenthAnswerIsLost) {
  // A bit late, as watches are under load: else the child is there before the next try.
  faults_.OnEvents(Requests::Watches()).Delay(300ms);
  const Fault lost = faults_.On(Requests::Writes()).Every(10).LoseAnswer();
  const auto passes = Play();
  EXPECT_EQ(ChildrenByParent(), FiveEach());
  EXPECT_THAT(Blind(passes), IsEmpty());
  EXPECT_GE(lost.count(), 9);
}

TEST_F(OwnWritesTest, AreMadeOnceThoughWatchesAreLateAndAnswersAreLost) {
  faults_.OnEvents(Requests::Watches()).Delay(1s);
  const Fault lost = faults_.On(Requests::Writes()).Every(3).LoseAnswer();
  const auto passes = Play();
  EXPECT_EQ(ChildrenByParent(), FiveEach());
  EXPECT_THAT(Blind(passes), IsEmpty());
  EXPECT_THAT(TurnsOfOthers(passes), Each(Ge(1)));
  EXPECT_GE(Median(TurnsOfOthers(passes)), 10);
  EXPECT_GE(lost.count(), 9);
}

}  // namespace
}  // namespace flyball::cluster

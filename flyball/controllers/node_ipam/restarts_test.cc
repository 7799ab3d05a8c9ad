// Thousands of nodes come and go while managers come and go: by order, or cut off at any write. At
// every revision no address is in the ranges of two nodes, and in the end every range that nobody
// has can be had.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/base/deterministic_executor.h"
#include "flyball/base/metrics.h"
#include "flyball/cache/informer_factory.h"
#include "flyball/controllers/node_ipam/controller.h"
#include "flyball/sandbox/faults.h"
#include "flyball/sandbox/record.h"
#include "flyball/sandbox/sandbox.h"

namespace flyball::controllers::node_ipam {
namespace {

using core::v1::Node;
using sandbox::Requests;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kParts = 6144;  // of 8192 that there are; services have the others
constexpr int kNodes = 5000;
const Options kOptions{.allocate = true,
                       .cluster_ranges = "10.0.0.0/11,fd00:10::/51",
                       .service_ranges = "10.8.0.0/13"};

/// A controller from its start to its end, on a line to the server that is its own.
class Incarnation {
 public:
  Incarnation(sandbox::Sandbox& sandbox, DeterministicExecutor& executor, Timers& timers,
              std::uint64_t seed)
      : line_(sandbox.transport(), executor, seed),
        session_(line_, executor.clock()),
        informers_({.client = session_.client(),
                    .executor = executor,
                    .timers = timers,
                    .random = [] { return 0.5; }}),
        controller_(Make({.client = session_.client(),
                          .informers = informers_,
                          .executor = executor,
                          .timers = timers,
                          .metrics = &metrics_},
                         kOptions)
                        .value()) {}

  void Start() {
    informers_.Start();
    EXPECT_TRUE(informers_.WaitForSync({}));
    EXPECT_TRUE(controller_->WaitForSync({}));
    controller_->Start();
  }
  void Stop() {
    controller_.reset();
    informers_.Stop();
  }
  sandbox::Faults& line() { return line_; }
  std::string metrics() const { return metrics_.Text(); }

 private:
  MetricRegistry metrics_;
  sandbox::Faults line_;
  sandbox::Session session_;
  cache::InformerFactory informers_;
  std::unique_ptr<runtime::Controller> controller_;
};

/// Looks at every revision of every node.
class Auditor {
 public:
  explicit Auditor(sandbox::Sandbox& sandbox)
      : follower_(sandbox.server().storage().Follow("nodes", "", 1, [] {}).value()) {}

  void Look() {
    for (;;) {
      const auto changes = follower_->Take(1000);
      ASSERT_TRUE(changes) << changes.error().Describe();
      if (changes->empty()) return;
      for (const sandbox::Change& change : *changes) LookAt(change);
    }
  }
  const std::map<std::string, std::string>& owners() const { return owners_; }

 private:
  void LookAt(const sandbox::Change& change) {
    const auto object = sandbox::RecordOf(change.object)->Decode();
    const Node& node = *object.As<Node>();
    for (const std::string& range : node.spec.podCIDRs) {
      if (change.deleted) {
        owners_.erase(range);
        continue;
      }
      const auto& owner = owners_.emplace(range, node.metadata.uid).first->second;
      EXPECT_EQ(owner, node.metadata.uid) << range << " is given to two";
    }
  }

  const std::unique_ptr<sandbox::Storage::Follower> follower_;
  std::map<std::string, std::string> owners_;  // the uids, by range
};

class RestartsTest : public testing::Test {
 protected:
  void CreateNode() {
    Node node;
    node.metadata.name = "node-" + std::to_string(created_++);
    ASSERT_TRUE(nodes_.Create(node));
    names_.push_back(node.metadata.name);
  }
  void DeleteNode() {
    std::swap(names_[dice_() % names_.size()], names_.back());
    ASSERT_TRUE(nodes_.Delete({"", names_.back()}));
    names_.pop_back();
  }
  void Pass(std::chrono::nanoseconds span) { executor_.clock().SleepFor(span); }

  /// Some come, fewer go, and now and then there is a moment's rest.
  void ComeAndGo(int changes, std::size_t most) {
    for (int i = 0; i < changes; ++i) {
      if (names_.size() < most && (names_.empty() || dice_() % 3 != 0)) {
        CreateNode();
      } else if (!names_.empty()) {
        DeleteNode();
      }
      if (dice_() % 32 == 0) Pass(milliseconds(dice_() % 20));
      if (dice_() % 64 == 0) auditor_.Look();
    }
  }
  void Disturb(sandbox::Faults& line) {
    const Requests patches = Requests::Patches().Of("nodes");
    line.On(patches).WithProbability(0.02).LoseAnswer();
    line.On(patches).WithProbability(0.02).Break();
    line.On(patches).WithProbability(0.02).Refuse(500);
    line.On(patches).WithProbability(0.02).Refuse(403);
    line.OnEvents(Requests::Watches()).WithProbability(0.05).Delay(milliseconds(30));
    line.OnEvents(Requests::Watches()).WithProbability(0.002).Break();
  }
  /// Until all have what they need, in time that nobody has to wait for.
  void AwaitAll(std::size_t nodes) {
    for (int i = 0; i < 3600 && auditor_.owners().size() < 2 * nodes; ++i) {
      Pass(seconds(1));
      auditor_.Look();
    }
    EXPECT_EQ(auditor_.owners().size(), 2 * nodes);
  }
  void Play(const std::function<void()>& test) {
    bool done = false;
    executor_.Start("test", [&] {
      test();
      done = true;
    });
    const auto report = executor_.RunFor(std::chrono::hours(1000));
    EXPECT_TRUE(done) << report.Describe();
  }

  static constexpr std::uint64_t kSeed = 20;
  std::mt19937_64 dice_{kSeed};
  DeterministicExecutor executor_{kSeed, {.max_steps = 100'000'000}};
  Timers timers_{executor_};
  sandbox::Sandbox sandbox_{{executor_, timers_}, {.seed = kSeed, .changes_kept = 1'000'000}};
  client::ResourceClient<Node> nodes_ = sandbox_.client().Of<Node>();
  Auditor auditor_{sandbox_};
  std::vector<std::string> names_;
  int created_ = 0;
};

TEST_F(RestartsTest, NoRangeIsGivenTwiceAndNoneIsLost) {
  std::cout << "seed " << kSeed << "\n";
  Play([&] {
    for (int round = 0; round < 10; ++round) {
      Incarnation manager(sandbox_, executor_, timers_, kSeed + static_cast<std::uint64_t>(round));
      Disturb(manager.line());
      manager.Start();
      const bool killed = dice_() % 3 != 0;
      if (killed) manager.line().StopTheWorldAfterWrites(1 + static_cast<int>(dice_() % 300));
      ComeAndGo(450, kNodes);
      if (killed) {
        manager.line().WaitUntilStopped(executor_.clock().DeadlineAfter(seconds(60)));
        manager.line().StopTheWorld();
      }
      manager.Stop();
    }
    Incarnation last(sandbox_, executor_, timers_, kSeed);
    last.Start();
    while (names_.size() < kNodes) CreateNode();
    AwaitAll(kNodes);
    ComeAndGo(500, kNodes);
    // As many as there are parts, and every one of them gets some.
    while (names_.size() < kParts) CreateNode();
    AwaitAll(kParts);
    EXPECT_THAT(last.metrics(), testing::HasSubstr("node_ipam_controller_cidrset_usage_cidrs{"
                                                   "clusterCIDR=\"10.0.0.0/11\"} 1\n"));
    last.Stop();
  });
  std::cout << created_ << " nodes came in all\n";
}

}  // namespace
}  // namespace flyball::controllers::node_ipam

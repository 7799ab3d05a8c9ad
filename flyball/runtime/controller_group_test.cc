#include "flyball/runtime/controller_group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "flyball/base/deterministic_executor.h"
#include "flyball/sandbox/sandbox.h"

namespace flyball::runtime {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;

class ControllerGroupTest : public testing::Test {
 protected:
  std::unique_ptr<Controller> Make(const std::string& name) {
    return std::make_unique<Controller>(name, Controller::Deps{.client = sandbox_.client(),
                                                               .informers = informers_,
                                                               .executor = executor_,
                                                               .timers = timers_});
  }

  void Play(const std::function<void()>& test) {
    bool done = false;
    executor_.Start("test", [&] {
      test();
      done = true;
    });
    const auto report = executor_.RunFor(std::chrono::hours(1));
    EXPECT_TRUE(done) << report.Describe();
  }

  DeterministicExecutor executor_{1};
  Timers timers_{executor_};
  sandbox::Sandbox sandbox_{{executor_, timers_}, {}};
  cache::InformerFactory informers_{
      {.client = sandbox_.client(), .executor = executor_, .timers = timers_, .random = [] {
         return 0.5;
       }}};
  ControllerGroup::Deps deps_{
      .executor = executor_, .informers = informers_, .random = [] { return 0; }};
};

TEST_F(ControllerGroupTest, NoReconcileBeginsAnywhereWhileOneControllerIsWaitedFor) {
  ControllerGroup group(deps_);
  int reconciles = 0;
  bool slow_ended = false;
  auto slow = Make("slow");
  slow->AddQueue<std::string>({.name = "slow"},
                              [&](Context&, const auto&) -> Result<Outcome> {
                                executor_.clock().SleepFor(seconds(20));
                                slow_ended = true;
                                return Outcome::Done();
                              })
      .Add("key");
  auto busy = Make("busy");
  busy->AddQueue<std::string>({.name = "busy"},
                              [&](Context&, const auto&) -> Result<Outcome> {
                                ++reconciles;
                                return Outcome::RequeueAfter(seconds(1));
                              })
      .Add("key");
  group.Add(std::move(slow), nullptr);
  group.Add(std::move(busy), nullptr);
  Play([&] {
    group.Start();
    executor_.clock().SleepFor(seconds(5));
    const int until_stopped = reconciles;
    EXPECT_GT(until_stopped, 0);
    EXPECT_TRUE(group.Stop(executor_.clock().DeadlineAfter(seconds(60))));
    EXPECT_TRUE(slow_ended);
    EXPECT_EQ(reconciles, until_stopped);
  });
}

TEST_F(ControllerGroupTest, ControllerThatDoesNotGetStartedHoldsUpTheEndUntilTheDeadlineOnly) {
  ControllerGroup group(deps_);
  std::vector<std::string> reconciled;
  auto late = Make("late");
  late->OnStart([&](const std::stop_token&) { executor_.clock().SleepFor(seconds(100)); });
  late->AddQueue<std::string>({.name = "late"},
                              [&](Context&, const auto& key) -> Result<Outcome> {
                                reconciled.push_back(key);
                                return Outcome::Done();
                              })
      .Add("key");
  group.Add(std::move(late), nullptr);
  Play([&] {
    group.Start();
    executor_.clock().SleepFor(seconds(5));
    const SteadyTime asked = executor_.clock().SteadyNow();
    EXPECT_FALSE(group.Stop(executor_.clock().DeadlineAfter(seconds(10))));
    EXPECT_EQ(executor_.clock().SteadyNow() - asked, seconds(10));
    executor_.clock().SleepFor(seconds(100));
    EXPECT_THAT(reconciled, ElementsAre());
  });
}

}  // namespace
}  // namespace flyball::runtime

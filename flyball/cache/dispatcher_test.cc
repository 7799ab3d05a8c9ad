#include "flyball/cache/dispatcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "flyball/base/deterministic_executor.h"

namespace flyball::cache {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;

class DispatcherTest : public testing::Test {
 protected:
  class Worker final : public Dispatcher::Worker {
   public:
    explicit Worker(std::function<void()> work) : work_(std::move(work)) {}
    void Work() override { work_(); }

   private:
    const std::function<void()> work_;
  };

  static std::shared_ptr<Worker> Doing(std::function<void()> work) {
    return std::make_shared<Worker>(std::move(work));
  }
  /// One who says so when it is done.
  std::shared_ptr<Worker> Taking(const char* name, milliseconds time) {
    return Doing([this, name, time] {
      executor_.clock().SleepFor(time);
      done_.emplace_back(name);
    });
  }

  void Play(const std::function<void()>& test) {
    bool over = false;
    executor_.Start("test", [&] {
      test();
      over = true;
    });
    const auto report = executor_.RunFor(std::chrono::hours(1));
    EXPECT_TRUE(over) << report.Describe();
  }

  DeterministicExecutor executor_{1};
  Timers timers_{executor_};
  const std::shared_ptr<Dispatcher> dispatcher_ =
      std::make_shared<Dispatcher>(executor_, timers_, "test");
  std::vector<std::string> done_;
};

TEST_F(DispatcherTest, QuickOnesWorkOneAfterTheOther) {
  Play([&] {
    for (const char* name : {"a", "b", "c"}) dispatcher_->Add(Taking(name, milliseconds(1)));
    executor_.clock().SleepFor(milliseconds(20));
    EXPECT_THAT(done_, ElementsAre("a", "b", "c"));
    dispatcher_->Stop();
  });
}

TEST_F(DispatcherTest, OneThatTakesItsTimeDelaysTheOthersBySomeMilliseconds) {
  Play([&] {
    dispatcher_->Add(Taking("slow", milliseconds(1000)));
    dispatcher_->Add(Taking("slower", milliseconds(2000)));
    dispatcher_->Add(Taking("quick", milliseconds(0)));
    executor_.clock().SleepFor(milliseconds(100));
    EXPECT_THAT(done_, ElementsAre("quick"));
    dispatcher_->Add(Taking("later", milliseconds(0)));
    executor_.clock().SleepFor(milliseconds(1));
    EXPECT_THAT(done_, ElementsAre("quick", "later"));
    dispatcher_->Stop();
    EXPECT_THAT(done_, ElementsAre("quick", "later", "slow", "slower"));
  });
}

TEST_F(DispatcherTest, WhoIsHeldUpWithNobodyWaitingHoldsUpNobodyLater) {
  Play([&] {
    dispatcher_->Add(Taking("slow", milliseconds(1000)));
    executor_.clock().SleepFor(milliseconds(100));
    dispatcher_->Add(Taking("quick", milliseconds(0)));
    executor_.clock().SleepFor(milliseconds(1));
    EXPECT_THAT(done_, ElementsAre("quick"));
    dispatcher_->Stop();
  });
}

TEST_F(DispatcherTest, NothingIsLeftWhenThereIsNothingToDo) {
  Play([&] {
    dispatcher_->Add(Taking("a", milliseconds(0)));
    executor_.clock().SleepFor(std::chrono::seconds(1));
    dispatcher_->Add(Taking("b", milliseconds(0)));
    executor_.clock().SleepFor(std::chrono::seconds(1));
    EXPECT_THAT(done_, ElementsAre("a", "b"));
    dispatcher_->Stop();
  });
}

}  // namespace
}  // namespace flyball::cache

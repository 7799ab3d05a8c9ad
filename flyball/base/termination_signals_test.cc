#include "flyball/base/termination_signals.h"

#include <unistd.h>

#include <csignal>

#include "flyball/base/mutex.h"
#include "gtest/gtest.h"

namespace flyball {
namespace {

/// What a process comes to that gets a signal so many times. The threads of a test that was not
/// forked off would die of it.
[[noreturn]] void BeAskedToEnd(int times, int signal) {
  TerminationSignals signals;
  RealClock clock;
  ElasticExecutor executor(clock);
  Mutex mutex;
  CondVar changed;
  int asked = 0;
  kill(getpid(), signal);
  signals.Watch(executor, [&](int which) {
    const MutexLock lock(mutex);
    asked = which;
    changed.NotifyAll();
  });
  MutexLock lock(mutex);
  clock.Wait(lock, changed, [&] { return asked == signal; });
  for (int more = 1; more < times; ++more) kill(getpid(), signal);
  if (times > 1) clock.Wait(lock, changed, [] { return false; });
  _exit(0);
}

TEST(TerminationSignalsDeathTest, TheFirstIsARequest) {
  EXPECT_EXIT(BeAskedToEnd(1, SIGTERM), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(BeAskedToEnd(1, SIGINT), testing::ExitedWithCode(0), "");
}

TEST(TerminationSignalsDeathTest, TheSecondIsAnOrder) {
  EXPECT_EXIT(BeAskedToEnd(2, SIGTERM), testing::ExitedWithCode(1), "");
}

TEST(TerminationSignalsDeathTest, WhoNeverAsksIsNotWaitedFor) {
  EXPECT_EXIT(
      {
        RealClock clock;
        {
          ElasticExecutor executor(clock);
          TerminationSignals signals;
          signals.Watch(executor, [](int) { _exit(2); });
        }
        _exit(0);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace flyball

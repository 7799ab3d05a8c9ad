// How long it takes until a leader is replaced, with upstream's lease times.

#include "tests/cluster/election_test.h"

namespace flyball::cluster {
namespace {

using namespace std::chrono_literals;

/// For requests.
constexpr auto kSlack = 1s;

class TimedElectionTest : public ElectionTest {
 protected:
  TimedElectionTest()
      : ElectionTest({.duration = 15s, .renew_deadline = 10s, .retry_period = 2s}) {}

  /// Ends the leader, and says how long it took until there was another.
  std::chrono::nanoseconds TimeToReplace(int signal, std::chrono::nanoseconds most) {
    Fill();
    Candidate* const leader = AwaitLeader("", kPatience);
    if (leader == nullptr) return {};
    clock().SleepFor(Between(300ms, 1300ms));
    const std::string old = leader->identity;
    const SteadyTime start = clock().SteadyNow();
    kill(leader->process.pid(), signal);
    if (AwaitLeader(old, most + kSlack) == nullptr) return {};
    return clock().SteadyNow() - start;
  }
};

TEST_F(TimedElectionTest, ALeaderThatIsKilledIsReplacedWhenItsLeaseHasRunOut) {
  const auto most = times_.duration + times_.retry_period * 44 / 10;
  const auto took = TimeToReplace(SIGKILL, most);
  std::cout << "killed: replaced after " << Seconds(took) << " s of " << Seconds(most) << "\n";
  EXPECT_GT(took, times_.duration - times_.retry_period - kSlack);
  clock().SleepFor(1s);
  ExpectNoLateWrites();
  EXPECT_EQ(trail_.spans().size(), 2U);  // of the two that were left, one
}

TEST_F(TimedElectionTest, ALeaderThatIsToldToEndIsReplacedAtOnce) {
  const auto most = times_.retry_period * 22 / 10;
  for (int i = 0; i < 3; ++i) {
    const auto took = TimeToReplace(SIGTERM, most);
    std::cout << "told to end: replaced after " << Seconds(took) << " s of " << Seconds(most)
              << "\n";
  }
  ExpectNoLateWrites();
}

}  // namespace
}  // namespace flyball::cluster

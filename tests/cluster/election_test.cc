// Leader election among processes, against a real API server: that no write of an old leader
// arrives after a new one's first. How long it takes until there is a new one is looked at in
// election_timed_test.cc.
//
// FLYBALL_ELECTION_ROUNDS sets the number of rounds of violence, FLYBALL_ELECTION_SEED what happens
// in them.

#include "tests/cluster/election_test.h"

#include <array>

namespace flyball::cluster {
namespace {

using namespace std::chrono_literals;

class ViolentElectionTest : public ElectionTest {
 protected:
  ViolentElectionTest()
      : ElectionTest({.duration = 3s, .renew_deadline = 2s, .retry_period = 500ms}) {}

  void Pause(Candidate& one) {
    kill(one.process.pid(), SIGSTOP);
    const auto span = times_.duration + Between(0s, 3s);
    clock().SleepFor(span);  // lint: allow sleep: how long is drawn
    kill(one.process.pid(), SIGCONT);
  }

  void Outage() {
    if (Between(0s, 1s) < 500ms) {
      real_plane().KillApiServer();
    } else {
      plane().StopApiServer();
    }
    clock().SleepFor(Between(0s, 4s));  // lint: allow sleep: when it happens is drawn
    const auto back = plane().StartApiServer();
    ASSERT_TRUE(back.has_value()) << back.error().Describe();
  }

  /// Does what is due to the leader, and says what it was. The first rounds have some of each.
  std::string Violence(int round, Candidate& leader) {
    constexpr std::array kKinds = {"pause", "kill", "outage", "stop",          "pause",
                                   "kill",  "kill", "pause",  "pause standby", "outage"};
    const auto index =
        static_cast<std::size_t>(round) <= kKinds.size()
            ? static_cast<std::size_t>(round - 1)
            : std::uniform_int_distribution<std::size_t>(0, kKinds.size() - 1)(dice_);
    const std::string what = kKinds[index];
    if (what == "pause") Pause(leader);
    if (what == "kill") leader.process.Kill();
    if (what == "stop") {
      kill(leader.process.pid(), SIGTERM);
      AwaitLeader(leader.identity, kPatience);
    }
    if (what == "pause standby") {
      Pause(*std::ranges::find_if(candidates_, [&](auto& one) { return &one != &leader; }));
    }
    if (what == "outage") Outage();
    return what;
  }
};

TEST_F(ViolentElectionTest, NoWriteOfAnOldLeaderArrivesAfterANewOnesFirst) {
  const int rounds = FromEnvironment("FLYBALL_ELECTION_ROUNDS", 6);
  for (int round = 1; round <= rounds && !HasFailure(); ++round) {
    ASSERT_NO_FATAL_FAILURE(Fill());
    Candidate* const leader = AwaitLeader("", kPatience);
    ASSERT_NE(leader, nullptr);
    clock().SleepFor(Between(200ms, 1s));  // lint: allow sleep: when it happens is drawn
    const std::string who = leader->identity;
    const std::string what = Violence(round, *leader);
    ExpectNoLateWrites();
    std::cout << "round " << round << ": " << what << " (" << who << "), " << trail_.spans().size()
              << " have led\n";
  }
  ASSERT_NE(AwaitLeader("", kPatience), nullptr);
  AwaitWrites(50);  // after which none of who led before can be on its way
  ExpectNoLateWrites();
  EXPECT_GE(trail_.spans().size(), 2U);
}

}  // namespace
}  // namespace flyball::cluster

// Leader election among processes, against a real API server: who takes over and when, and that no
// write of an old leader arrives after a new one's first.
//
// FLYBALL_ELECTION_ROUNDS sets the number of rounds of violence, FLYBALL_ELECTION_SEED what happens
// in them.

#include <sys/types.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <random>

#include "flyball/api/coordination/v1.h"
#include "flyball/client/client.h"
#include "flyball/runtime/lease_record.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cluster/audit_trail.h"
#include "tests/cluster/cluster_test.h"
#include "tests/cluster/process.h"

namespace flyball::cluster {
namespace {

using namespace std::chrono_literals;
using coordination::v1::Lease;
using testing::IsEmpty;

constexpr runtime::LeaseTimes kTimes{.duration = 3s, .renew_deadline = 2s, .retry_period = 500ms};
/// For requests, and for a machine that has other things to do.
constexpr auto kSlack = 400ms;

int FromEnvironment(const char* name, int otherwise) {
  const char* const value = std::getenv(name);
  return value == nullptr ? otherwise : std::atoi(value);
}

double Seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

struct Candidate {
  std::string identity;
  Process process;
};

class ElectionTest : public ClusterTest {
 protected:
  void SetUp() override {
    auto file = plane().WriteKubeconfig("candidate", {.token = plane().admin_token()});
    ASSERT_TRUE(file.has_value()) << file.error().Describe();
    kubeconfig_ = *file;
    Fill();
    ASSERT_NE(AwaitLeader("", 20s), nullptr);
  }

  void TearDown() override {
    if (!HasFailure()) return;
    for (const auto& [identity, span] : trail_.spans()) {
      std::cout << identity << ": " << span.writes << " writes, " << span.first << " to "
                << span.last << "\n";
    }
  }

  /// So that there are three again.
  void Fill() {
    std::erase_if(candidates_, [](Candidate& one) { return !one.process.Running(); });
    while (candidates_.size() < 3) {
      const std::string identity = "candidate-" + std::to_string(++started_);
      const auto text = [](std::chrono::nanoseconds time) {
        return std::to_string(std::chrono::floor<std::chrono::milliseconds>(time).count());
      };
      auto process = Process::Start(FLYBALL_ELECTION_CANDIDATE,
                                    {kubeconfig_.string(), space_, identity, text(kTimes.duration),
                                     text(kTimes.renew_deadline), text(kTimes.retry_period)},
                                    logs() / "candidates.log");
      ASSERT_TRUE(process.has_value()) << process.error().Describe();
      candidates_.push_back({identity, *std::move(process)});
    }
  }

  std::string Holder() {
    const auto lease = admin_.Of<Lease>().Get({space_, "election"});
    return lease ? std::string(runtime::HolderOf(*lease)) : "";
  }

  /// A leader other than `old`, when there is one. Null, and a failure, if there is none in time.
  Candidate* AwaitLeader(const std::string& old, std::chrono::nanoseconds patience) {
    const SteadyTime deadline = clock().SteadyNow() + patience;
    std::string holder;
    while (clock().SteadyNow() < deadline) {
      holder = Holder();
      if (!holder.empty() && holder != old) {
        for (Candidate& one : candidates_) {
          if (one.identity == holder && one.process.Running()) return &one;
        }
      }
      clock().SleepFor(10ms);
    }
    ADD_FAILURE() << "no leader in " << Seconds(patience) << " s; the lease is " << holder << "'s";
    return nullptr;
  }

  /// Ends the leader, and says how long it took until there was another.
  std::chrono::nanoseconds TimeToReplace(int signal, std::chrono::nanoseconds most) {
    Fill();
    Candidate* const leader = AwaitLeader("", 20s);
    if (leader == nullptr) return {};
    clock().SleepFor(Between(300ms, 1300ms));
    const std::string old = leader->identity;
    const SteadyTime start = clock().SteadyNow();
    kill(leader->process.pid(), signal);
    if (AwaitLeader(old, most + kSlack) == nullptr) return {};
    return clock().SteadyNow() - start;
  }

  std::chrono::nanoseconds Between(std::chrono::nanoseconds least, std::chrono::nanoseconds most) {
    return std::chrono::nanoseconds(
        std::uniform_int_distribution<std::int64_t>(least.count(), most.count())(dice_));
  }

  void ExpectNoLateWrites() {
    trail_.ReadOn();
    EXPECT_THAT(trail_.Overlaps(), IsEmpty());
  }

  void Pause(Candidate& one) {
    kill(one.process.pid(), SIGSTOP);
    clock().SleepFor(kTimes.duration + Between(0s, 3s));
    kill(one.process.pid(), SIGCONT);
  }

  void Outage() {
    if (Between(0s, 1s) < 500ms) {
      real_plane().KillApiServer();
    } else {
      plane().StopApiServer();
    }
    clock().SleepFor(Between(0s, 4s));
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
      AwaitLeader(leader.identity, 5s);
    }
    if (what == "pause standby") {
      Pause(*std::ranges::find_if(candidates_, [&](auto& one) { return &one != &leader; }));
    }
    if (what == "outage") Outage();
    return what;
  }

  const std::string space_ = NewNamespace();
  transport::HttpTransport transport_{
      network(),
      plane().TransportOptions(plane().IssueClientCertificate("watcher", {"system:masters"}))};
  client::RestClient rest_{{.transport = transport_, .clock = clock()}, {}};
  client::Client admin_{rest_};
  std::filesystem::path kubeconfig_;
  std::vector<Candidate> candidates_;
  int started_ = 0;
  AuditTrail trail_{real_plane().audit_log(), {.space = space_}};
  std::mt19937_64 dice_{static_cast<std::uint64_t>(FromEnvironment("FLYBALL_ELECTION_SEED", 1))};
};

TEST_F(ElectionTest, ALeaderThatIsKilledIsReplacedWhenItsLeaseHasRunOut) {
  const auto most = kTimes.duration + kTimes.retry_period * 44 / 10;
  const auto took = TimeToReplace(SIGKILL, most);
  std::cout << "killed: replaced after " << Seconds(took) << " s of " << Seconds(most) << "\n";
  EXPECT_GT(took, kTimes.duration - kTimes.retry_period - kSlack);
  clock().SleepFor(1s);
  ExpectNoLateWrites();
  EXPECT_EQ(trail_.spans().size(), 2U);  // of the two that were left, one
}

TEST_F(ElectionTest, ALeaderThatIsToldToEndIsReplacedAtOnce) {
  const auto most = kTimes.retry_period * 22 / 10;
  for (int i = 0; i < 3; ++i) {
    const auto took = TimeToReplace(SIGTERM, most);
    std::cout << "told to end: replaced after " << Seconds(took) << " s of " << Seconds(most)
              << "\n";
  }
  ExpectNoLateWrites();
}

TEST_F(ElectionTest, NoWriteOfAnOldLeaderArrivesAfterANewOnesFirst) {
  const int rounds = FromEnvironment("FLYBALL_ELECTION_ROUNDS", 6);
  for (int round = 1; round <= rounds && !HasFailure(); ++round) {
    ASSERT_NO_FATAL_FAILURE(Fill());
    Candidate* const leader = AwaitLeader("", 20s);
    ASSERT_NE(leader, nullptr);
    clock().SleepFor(Between(200ms, 1s));
    const std::string who = leader->identity;
    const std::string what = Violence(round, *leader);
    ExpectNoLateWrites();
    std::cout << "round " << round << ": " << what << " (" << who << "), " << trail_.spans().size()
              << " have led\n";
  }
  ASSERT_NE(AwaitLeader("", 20s), nullptr);
  clock().SleepFor(200ms);
  ExpectNoLateWrites();
  EXPECT_GE(trail_.spans().size(), 2U);
}

}  // namespace
}  // namespace flyball::cluster

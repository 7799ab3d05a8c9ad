#include "flyball/runtime/leader_elector.h"

#include "flyball/base/deterministic_executor.h"
#include "flyball/runtime/leader_health.h"
#include "flyball/runtime/lease_store_fake.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::runtime {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using transport::FakeTransport;
using Outcome = DeterministicExecutor::Report::Outcome;

constexpr std::string_view kPath = "/apis/coordination.k8s.io/v1/namespaces/default/leases";

/// One candidate in virtual time, and the server as the test has it.
class LeaderElectorTest : public testing::Test {
 protected:
  ~LeaderElectorTest() override { executor_.Abandon(); }

  void Start(LeaseTimes times = {}) {
    elector_ =
        *LeaderElector::Create({.rest = rest_,
                                .clock = clock_,
                                .random = [this] { return random_; },
                                .fence = fence_,
                                .metrics = LeaderElectionMetrics(registry_)},
                               {{"default", "shop"}, "me", times},
                               {.started = [this] { Note("started"); },
                                .stopped = [this] { Note("stopped"); },
                                .new_leader = [this](const auto& who) { Note("leader " + who); },
                                .event = [this](const auto&, const auto& what) { Note(what); }});
    executor_.Start("elector", [this] {
      const auto ended = elector_->Run(stop_.get_token());
      Note(ended == LeaderElector::Ended::kLost ? "lost" : "returned");
      if (ended == LeaderElector::Ended::kStopped && release_) Note(Release());
    });
  }

  std::string Release() {
    const auto released = elector_->Release();
    return released ? "released" : released.error().Describe();
  }

  void RunFor(std::chrono::nanoseconds span) { std::ignore = executor_.RunFor(span); }

  /// "+2s what", or "what" at the very beginning.
  void Note(const std::string& what) {
    const auto at = std::chrono::duration<double>(clock_.SteadyNow() - begin_).count();
    std::ostringstream text;
    if (at > 0) text << "+" << at << "s ";
    text << what;
    notes_.push_back(text.str());
  }
  std::vector<std::string> Notes() { return std::exchange(notes_, {}); }

  /// What was asked of the server since this was last called: "PUT 5000ms".
  std::vector<std::string> Requests() {
    std::vector<std::string> all;
    for (const auto& request : transport_.requests()) {
      const auto at = request.target.find("?timeout=");
      EXPECT_TRUE(request.target.starts_with(kPath));
      all.push_back(request.method + " " + request.target.substr(at + 9));
    }
    std::vector<std::string> fresh(all.begin() + static_cast<std::ptrdiff_t>(seen_), all.end());
    seen_ = all.size();
    return fresh;
  }

  void HeldByAnother(std::int32_t seconds = 15) {
    store_.Change([&](Lease& lease) {
      lease.metadata.name = "shop";
      lease.metadata.namespace_ = "default";
      lease.spec.holderIdentity = "other";
      lease.spec.leaseDurationSeconds = seconds;
      lease.spec.renewTime = api::MicroTime(clock_.WallNow());
      lease.spec.leaseTransitions = 3;
    });
  }

  DeterministicExecutor executor_{1};
  Clock& clock_ = executor_.clock();
  const SteadyTime begin_ = clock_.SteadyNow();
  FakeLeaseStore store_;
  std::function<std::optional<FakeTransport::Answer>(const transport::Request&)> fault_;
  FakeTransport transport_{[this](const transport::Request& request) {
    if (fault_) {
      if (auto answer = fault_(request)) return *std::move(answer);
    }
    return store_.Handle(request);
  }};
  client::RestClient rest_{{.transport = transport_, .clock = clock_}, {}};
  std::shared_ptr<LeadershipFence> fence_ = std::make_shared<LeadershipFence>(clock_);
  MetricRegistry registry_;
  std::uint64_t random_ = 0;  // candidates look every retry period
  std::unique_ptr<LeaderElector> elector_;
  std::stop_source stop_;
  bool release_ = true;
  std::vector<std::string> notes_;
  std::size_t seen_ = 0;
};

FakeTransport::Answer Unreachable() {
  return FakeTransport::Answer::Broken({ErrorCode::kUnavailable, "no route"});
}

TEST_F(LeaderElectorTest, MakesTheLeaseWhereThereIsNone) {
  Start();
  RunFor(0s);
  EXPECT_THAT(Notes(), ElementsAre("leader me", "me became leader", "started"));
  EXPECT_THAT(Requests(), ElementsAre("GET 5000ms", "POST 5000ms", "PUT 5000ms"));
  Lease expected = NewLease({"default", "shop"}, "me", {}, clock_.WallNow());
  expected.metadata.resourceVersion = "2";
  EXPECT_EQ(store_.lease(), expected);
  EXPECT_EQ(fence_->Left(), 13500ms);
  EXPECT_TRUE(elector_->IsLeader());
}

TEST_F(LeaderElectorTest, RenewsWithOneRequestEachRetryPeriod) {
  Start();
  RunFor(0s);
  Requests();
  RunFor(6s);
  EXPECT_THAT(Requests(), ElementsAre("PUT 5000ms", "PUT 5000ms", "PUT 5000ms"));
  EXPECT_EQ(store_.lease()->spec.renewTime, api::MicroTime(clock_.WallNow()));
  EXPECT_EQ(store_.lease()->spec.leaseTransitions, 0);
  EXPECT_EQ(fence_->Left(), 13500ms);
}

TEST_F(LeaderElectorTest, TakesOverWhenItHasSeenNoRenewalForTheLengthOfTheLease) {
  HeldByAnother(7);
  // Whatever the other's clock says.
  store_.Change([](Lease& lease) { lease.spec.renewTime = api::MicroTime::FromUnix(0); });
  Start();
  RunFor(20s);
  // Looks every 2 s; the first look after 7 s is at 8 s.
  EXPECT_THAT(Notes(),
              ElementsAre("leader other", "+8s leader me", "+8s me became leader", "+8s started"));
  EXPECT_EQ(store_.lease()->spec.leaseTransitions, 4);
  EXPECT_EQ(store_.lease()->spec.leaseDurationSeconds, 15);
}

TEST_F(LeaderElectorTest, CandidatesLookAfterUpTo2Point2RetryPeriods) {
  random_ = ~std::uint64_t{0};
  HeldByAnother(4);
  Start();
  RunFor(20s);
  EXPECT_THAT(Notes(), ElementsAre("leader other", "+4.4s leader me", "+4.4s me became leader",
                                   "+4.4s started"));
}

TEST_F(LeaderElectorTest, ARenewalOfAnotherPutsItOffButALabelDoesNot) {
  HeldByAnother();
  Start();
  RunFor(9s);
  HeldByAnother();  // seen at 10 s
  RunFor(10s);
  store_.Change([](Lease& lease) { lease.metadata.labels["a"] = "b"; });
  RunFor(20s);
  EXPECT_THAT(Notes(), ElementsAre("leader other", "+26s leader me", "+26s me became leader",
                                   "+26s started"));
}

TEST_F(LeaderElectorTest, TakesAReleasedLeaseAtOnce) {
  HeldByAnother();
  Start();
  RunFor(1s);
  store_.Change([&](Lease& lease) { lease = Released(lease, clock_.WallNow()); });
  RunFor(2s);
  EXPECT_THAT(Notes(),
              ElementsAre("leader other", "+2s leader me", "+2s me became leader", "+2s started"));
}

TEST_F(LeaderElectorTest, WhoIsFirstWins) {
  HeldByAnother(1);
  bool raced = false;
  fault_ = [&](const transport::Request& request) -> std::optional<FakeTransport::Answer> {
    if (request.method == "PUT" && !std::exchange(raced, true)) {
      store_.Change([](Lease& lease) { lease.spec.holderIdentity = "third"; });
    }
    return std::nullopt;
  };
  Start();
  RunFor(3s);
  EXPECT_TRUE(raced);
  EXPECT_EQ(store_.holder(), "third");
  EXPECT_FALSE(fence_->IsOpen());
  RunFor(1s);
  EXPECT_THAT(Notes(), ElementsAre("leader other", "+4s leader third"));
}

TEST_F(LeaderElectorTest, AConflictCostsALeaderOneLook) {
  Start();
  RunFor(0s);
  Requests();
  store_.Change([](Lease& lease) { lease.metadata.labels["a"] = "b"; });
  RunFor(2s);
  EXPECT_THAT(Requests(), ElementsAre("PUT 5000ms", "GET 5000ms", "PUT 5000ms"));
  EXPECT_THAT(registry_.Text(), HasSubstr("leader_election_slowpath_total{name=\"shop\"} 1\n"));
  EXPECT_TRUE(store_.lease()->metadata.labels.contains("a"));
  EXPECT_EQ(fence_->Left(), 13500ms);
}

TEST_F(LeaderElectorTest, GivesUpWhenItCannotRenewByTheDeadline) {
  Start();
  RunFor(1s);
  Notes();
  fault_ = [](const transport::Request&) { return Unreachable(); };
  RunFor(30s);
  // The last good renewal was at 0 s, the first that failed at 2 s; the lease runs out at 15 s.
  EXPECT_THAT(Notes(), ElementsAre("+12s me stopped leading", "+12s stopped", "+12s lost"));
  EXPECT_FALSE(fence_->IsOpen());
  EXPECT_THAT(registry_.Text(), HasSubstr("leader_election_master_status{name=\"shop\"} 0\n"));
}

TEST_F(LeaderElectorTest, ARequestThatHangsDoesNotCostTheLeadership) {
  Start();
  RunFor(1s);
  Notes();
  Requests();
  int hang = 1;
  fault_ = [&](const transport::Request& request) -> std::optional<FakeTransport::Answer> {
    if (hang-- <= 0) return std::nullopt;
    clock_.SleepFor(request.timeout);
    return FakeTransport::Answer::Broken({ErrorCode::kTimeout, "no answer in time"});
  };
  RunFor(10s);
  EXPECT_THAT(Notes(), ElementsAre());
  EXPECT_THAT(Requests(),
              ElementsAre("PUT 5000ms", "GET 5000ms", "PUT 5000ms", "PUT 5000ms", "PUT 5000ms"));
}

TEST_F(LeaderElectorTest, NoRequestLastsBeyondTheRenewDeadline) {
  Start();
  RunFor(1s);
  Notes();
  Requests();
  fault_ = [&](const transport::Request& request) -> std::optional<FakeTransport::Answer> {
    clock_.SleepFor(request.timeout);
    return FakeTransport::Answer::Broken({ErrorCode::kTimeout, "no answer in time"});
  };
  RunFor(30s);
  EXPECT_THAT(Requests(), ElementsAre("PUT 5000ms", "GET 5000ms"));
  EXPECT_THAT(Notes(), ElementsAre("+12s me stopped leading", "+12s stopped", "+12s lost"));
}

TEST_F(LeaderElectorTest, StopsAtOnceWhenAnotherHasTheLease) {
  Start();
  RunFor(1s);
  Notes();
  HeldByAnother();
  RunFor(5s);
  EXPECT_THAT(Notes(),
              ElementsAre("+2s leader other", "+2s me stopped leading", "+2s stopped", "+2s lost"));
  EXPECT_EQ(store_.holder(), "other");
  EXPECT_FALSE(fence_->IsOpen());
}

TEST_F(LeaderElectorTest, AfterAPauseItGoesOnIfNobodyTookOver) {
  Start();
  RunFor(1s);
  Notes();
  bool paused = false;
  fault_ = [&](const transport::Request&) -> std::optional<FakeTransport::Answer> {
    if (std::exchange(paused, true)) return std::nullopt;
    clock_.SleepFor(20s);  // with the answer in the socket's buffer
    EXPECT_FALSE(fence_->IsOpen());
    return std::nullopt;
  };
  RunFor(22s);
  // The renewal's answer is worth nothing by now; the next renewal's is.
  EXPECT_FALSE(fence_->IsOpen());
  RunFor(3s);
  EXPECT_TRUE(fence_->IsOpen());
  EXPECT_THAT(Notes(), ElementsAre());
}

TEST_F(LeaderElectorTest, AfterAPauseItStopsIfSomebodyTookOver) {
  Start();
  RunFor(1s);
  Notes();
  bool paused = false;
  fault_ = [&](const transport::Request&) -> std::optional<FakeTransport::Answer> {
    if (!std::exchange(paused, true)) clock_.SleepFor(20s);
    return std::nullopt;
  };
  RunFor(15s);
  HeldByAnother();
  RunFor(10s);
  EXPECT_THAT(Notes(), ElementsAre("+22s me stopped leading", "+22s stopped", "+22s lost"));
  EXPECT_EQ(store_.holder(), "other");
}

/// Another may have made it anew, led, and given it back meanwhile.
TEST_F(LeaderElectorTest, LeaderWhoseLeaseWasDeletedStops) {
  Start();
  RunFor(1s);
  Notes();
  store_.Remove();
  RunFor(5s);
  EXPECT_THAT(Notes(), ElementsAre("+2s me stopped leading", "+2s stopped", "+2s lost"));
  EXPECT_EQ(store_.lease(), std::nullopt);
  EXPECT_FALSE(fence_->IsOpen());
}

/// That it is gone stops nobody: its holder's fence is open until its term has passed.
TEST_F(LeaderElectorTest, CandidateWaitsForTheTermOfADeletedLease) {
  HeldByAnother(7);
  Start();
  RunFor(1s);
  EXPECT_THAT(Notes(), ElementsAre("leader other"));
  store_.Remove();
  RunFor(5s);
  EXPECT_EQ(store_.lease(), std::nullopt);
  RunFor(3s);
  EXPECT_EQ(store_.holder(), "me");
  EXPECT_TRUE(fence_->IsOpen());
}

TEST_F(LeaderElectorTest, AStoppedLeaderHoldsTheLeaseUntilItReleasesIt) {
  release_ = false;
  Start();
  RunFor(1s);
  Notes();
  stop_.request_stop();
  RunFor(1s);
  EXPECT_THAT(Notes(), ElementsAre("+1s me stopped leading", "+1s stopped", "+1s returned"));
  EXPECT_EQ(store_.holder(), "me");
  EXPECT_TRUE(fence_->IsOpen());  // for what has not drained yet

  executor_.Start("release", [this] { Note(Release()); });
  RunFor(1s);
  EXPECT_THAT(Notes(), ElementsAre("+2s released"));
  EXPECT_FALSE(fence_->IsOpen());
  const auto lease = *store_.lease();
  EXPECT_EQ(lease.spec, Released(lease, clock_.WallNow() - 1s).spec);
  EXPECT_EQ(lease.spec.leaseTransitions, 0);
}

TEST_F(LeaderElectorTest, ReleasesALeaseThatHasChangedMeanwhile) {
  Start();
  RunFor(1s);
  store_.Change([](Lease& lease) { lease.metadata.labels["a"] = "b"; });
  stop_.request_stop();
  RunFor(1s);
  EXPECT_EQ(store_.holder(), "");
  EXPECT_TRUE(store_.lease()->metadata.labels.contains("a"));
}

TEST_F(LeaderElectorTest, DoesNotReleaseWhatIsAnothersByNow) {
  Start();
  RunFor(1s);
  HeldByAnother();
  const auto before = store_.lease();
  stop_.request_stop();
  RunFor(1s);
  EXPECT_EQ(store_.lease(), before);
}

TEST_F(LeaderElectorTest, ACandidateThatIsStoppedTouchesNothing) {
  HeldByAnother();
  const auto before = store_.lease();
  Start();
  RunFor(1s);
  stop_.request_stop();
  RunFor(1s);
  EXPECT_THAT(Notes(), ElementsAre("leader other", "+1s returned", "+1s released"));
  EXPECT_EQ(store_.lease(), before);
}

TEST_F(LeaderElectorTest, RefusesWhatCannotWork) {
  const auto problem = [this](const std::string& name, const std::string& identity,
                              LeaseTimes times) {
    const auto made =
        LeaderElector::Create({.rest = rest_, .clock = clock_, .random = [] { return 0; }},
                              {{"ns", name}, identity, times}, {});
    return made ? "" : made.error().Describe();
  };
  EXPECT_EQ(problem("shop", "me", {}), "");
  EXPECT_EQ(problem("", "me", {}), "invalid: lease name is empty");
  EXPECT_EQ(problem("shop", "", {}), "invalid: Lock identity is empty");
  EXPECT_EQ(problem("shop", "me", {.duration = 10s}),
            "invalid: leaseDuration must be greater than renewDeadline");
}

TEST_F(LeaderElectorTest, IsUnwellIfItHangsWhileItHoldsTheLease) {
  LeaderHealth health(20s);
  EXPECT_TRUE(health.Check().has_value());
  Start();
  health.Watch(elector_.get());
  fault_ = [&](const transport::Request& request) -> std::optional<FakeTransport::Answer> {
    if (request.method == "PUT") clock_.SleepFor(1h);
    return std::nullopt;
  };
  RunFor(35s);
  EXPECT_TRUE(health.Check().has_value());
  RunFor(1s);
  EXPECT_EQ(health.Check().error().Describe(),
            "timeout: failed election to renew leadership on lease shop");
}

TEST_F(LeaderElectorTest, SaysInMetricsWhetherItLeads) {
  HeldByAnother(3);
  Start();
  const auto text = [](int leads) {
    return "# HELP leader_election_master_status [ALPHA] State of this process in the leader "
           "election for a lease: 1 if it is the leader, 0 if it stands by.\n"
           "# TYPE leader_election_master_status gauge\n"
           "leader_election_master_status{name=\"shop\"} " +
           std::to_string(leads) + "\n";
  };
  RunFor(1s);
  EXPECT_EQ(registry_.Text(), text(0));
  RunFor(5s);
  EXPECT_EQ(registry_.Text(), text(1));
}

}  // namespace
}  // namespace flyball::runtime

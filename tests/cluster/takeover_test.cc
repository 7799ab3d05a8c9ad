// Three managers that stand for election, on a real API server, and things to do without end: the
// leader is killed, again and again, and another takes up where it left off. Nothing is done twice,
// and nothing is left undone.
//
// FLYBALL_TAKEOVER_KILLS sets how often.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "flyball/api/core/v1.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cluster/audit_trail.h"
#include "tests/cluster/binary_test.h"
#include "tests/cluster/number_from_environment.h"

namespace flyball::cluster {
namespace {

using namespace std::chrono_literals;
using core::v1::Namespace;
using testing::IsEmpty;

int Kills() { return NumberFromEnvironment("FLYBALL_TAKEOVER_KILLS", 3); }

class TakeoverTest : public BinaryTest {
 protected:
  /// A namespace on its way: it gets its account, then a token for it, and every second one goes.
  struct Space {
    enum class Stage : std::uint8_t { kBare, kFurnished, kComplete, kGoing };
    std::string name;
    Stage stage = Stage::kBare;
    bool to_go = false;
  };

  /// So that there are three again.
  void Fill() {
    std::erase_if(managers_, [](ManagerBinary& one) { return !one.process().Running(); });
    while (managers_.size() < 3) {
      managers_.push_back(
          StartManager("manager-" + std::to_string(++started_),
                       {"--leader-elect-lease-duration=3s", "--leader-elect-renew-deadline=2s",
                        "--leader-elect-retry-period=400ms"}));
    }
  }

  /// Who leads by its own word. Null, and a failure, if nobody does in time.
  ManagerBinary* AwaitLeader() {
    ManagerBinary* leader = nullptr;
    const auto leads = [this](const ManagerBinary& one) {
      const auto page = one.Get("/metrics", master_);
      return page && page->body.contains(
                         R"(leader_election_master_status{name="kube-controller-manager"} 1)");
    };
    EXPECT_TRUE(Eventually([&] {
      Work();
      for (ManagerBinary& one : managers_) {
        if (one.process().Running() && leads(one)) leader = &one;
      }
      return leader != nullptr;
    })) << "the lease is "
        << Holder() << "'s";
    return leader;
  }

  /// One more namespace, and a step on for those that have what the managers owe them.
  void Work() {
    spaces_.push_back({.name = NewNamespace(), .to_go = spaces_.size() % 2 == 1});
    for (Space& space : spaces_) StepOn(space);
    clock().SleepFor(100ms);
  }
  void StepOn(Space& space) {
    using enum Space::Stage;
    if (space.stage == kBare && IsFurnished(space.name)) {
      CreateToken(space.name);
      space.stage = kFurnished;
    } else if (space.stage == kFurnished && HasToken(space.name)) {
      space.stage = kComplete;
    } else if (space.stage == kComplete && space.to_go) {
      Must(All<Namespace>().Delete({"", space.name}));
      space.stage = kGoing;
    }
  }
  bool IsSettled(const Space& space) const {
    if (!space.to_go) return space.stage == Space::Stage::kComplete;
    return space.stage == Space::Stage::kGoing && !Exists<Namespace>({"", space.name});
  }

  /// Works until the new leader has done something.
  void AwaitDeeds(const ManagerBinary& leader) {
    Work();
    const std::string name = spaces_.back().name;
    ASSERT_TRUE(Eventually([&] {
      Work();
      return IsFurnished(name);
    })) << leader.log();
  }

  /// What managers made, and how often each: "create serviceaccounts test-1/default". With it what
  /// they wanted to make and was there already, which is what a late cache would look like.
  std::map<std::string, int> Deeds() const {
    std::map<std::string, int> deeds;
    for (const AuditedRequest& one : ReadRequests(real_plane().audit_log())) {
      const bool is_write = one.verb == "create" || one.verb == "update";
      const bool is_theirs =
          one.name == "default" || one.name == "kube-root-ca.crt" || one.name == "token";
      if (!one.IsManagers() || !is_write || !is_theirs) continue;
      if (one.code.starts_with("20") || one.code == "409") {
        ++deeds[one.verb + " " + one.resource + " " + one.space + "/" + one.name];
      }
    }
    return deeds;
  }

  const Credentials master_ = Master();
  std::deque<ManagerBinary> managers_;
  std::deque<Space> spaces_;
  int started_ = 0;
  AuditTrail trail_{real_plane().audit_log(),
                    {.resource = "serviceaccounts",
                     .verbs = {"create"},
                     .user = "system:serviceaccount:kube-system:service-account-controller",
                     .writer = AuditTrail::Writer::kCredential}};
};

TEST_F(TakeoverTest, ALeaderThatIsKilledIsReplacedAndNothingIsDoneTwiceOrLeftUndone) {
  for (int kills = 0; kills < Kills(); ++kills) {
    Fill();
    ManagerBinary* const leader = AwaitLeader();
    ASSERT_NE(leader, nullptr);
    ASSERT_NO_FATAL_FAILURE(AwaitDeeds(*leader));
    leader->process().Kill();
    Work();
  }
  // One that is told to end, for the same reasons.
  Fill();
  ManagerBinary* const last = AwaitLeader();
  ASSERT_NE(last, nullptr);
  last->process().Stop(clock(), 20s);
  ASSERT_NE(AwaitLeader(), nullptr);

  const auto settled = [&] {
    for (Space& space : spaces_) StepOn(space);
    return std::ranges::all_of(spaces_, [&](const Space& space) { return IsSettled(space); });
  };
  EXPECT_TRUE(Eventually(settled, 180s));
  for (const Space& space : spaces_) {
    EXPECT_TRUE(IsSettled(space)) << space.name << " is at stage " << static_cast<int>(space.stage);
  }
  std::vector<std::string> twice;
  for (const auto& [deed, times] : Deeds()) {
    if (times > 1) twice.push_back(deed + ": " + std::to_string(times));
  }
  EXPECT_THAT(twice, IsEmpty());
  trail_.ReadOn();
  EXPECT_THAT(trail_.Overlaps(), IsEmpty());
  std::cout << Kills() << " kills, " << trail_.spans().size() << " have led, " << spaces_.size()
            << " namespaces\n";
  EXPECT_GE(trail_.spans().size(), static_cast<std::size_t>(Kills()) + 1);
}

}  // namespace
}  // namespace flyball::cluster

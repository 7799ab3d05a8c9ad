// Rollouts on a real API server while everything around them breaks: managers are killed, their
// connections cut, their network is gone, the API server dies. People go on giving orders. All
// that is ever written is held against what managers promise, and in the end all is as it was asked
// for.
//
// FLYBALL_CHAOS_SECONDS sets for how long, FLYBALL_CHAOS_SEED what happens in which order.

#include "tests/cluster/chaos.h"

#include <array>
#include <iostream>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cluster/rollout_test.h"

namespace flyball::cluster {
namespace {

using namespace std::chrono_literals;
using apps::v1::Deployment;

constexpr int kDeployments = 8;

/// Each its own way to roll: by parts, one more first, one fewer first, and many at once.
void MakeDifferent(int number, Deployment& deployment) {
  struct Way {
    const char* surge;
    const char* unavailable;
  };
  constexpr std::array<Way, 4> kWays{{{"25%", "25%"}, {"1", "0"}, {"0", "1"}, {"50%", "2"}}};
  const Way& way = kWays.at(static_cast<std::size_t>(number) % kWays.size());
  deployment.spec.strategy.type = "RollingUpdate";
  deployment.spec.strategy.rollingUpdate = apps::v1::RollingUpdateDeployment();
  deployment.spec.strategy.rollingUpdate->maxSurge = api::IntOrString::Parse(way.surge);
  deployment.spec.strategy.rollingUpdate->maxUnavailable = api::IntOrString::Parse(way.unavailable);
}

class ChaosTest : public Chaos<RolloutTest> {
 protected:
  ChaosTest() : Chaos({.deployments = kDeployments, .pods = 5, .adjust = MakeDifferent}) {}

  void Order() override {
    const int number = Below(kDeployments);
    const int which = Below(10);
    if (which == 0) return Replace(number);
    if (which < 3) return ScaleAtRest(number);
    if (which < 6) return;
    Patch(number, R"({"spec":{"template":{"spec":{"containers":[{"name":"main","image":"app:)" +
                      std::to_string(Below(4)) + R"("}]}}}})");
  }
  void Patch(int number, std::string text) {
    const auto patched = All<Deployment>().Patch({space_, DeploymentFleet::NameOf(number)},
                                                 {client::PatchType::kStrategic, std::move(text)});
    orders_ += patched ? 1 : 0;
  }
  /// See RolloutInvariants for why only then.
  void ScaleAtRest(int number) {
    const auto now = All<Deployment>().Get({space_, DeploymentFleet::NameOf(number)});
    if (!now || !DeploymentFleet::IsComplete(*now)) return;
    // Nothing comes between what was looked at and what is done.
    Deployment changed = *now;
    changed.spec.replicas = 2 + Below(7);
    orders_ += All<Deployment>().Update(changed) ? 1 : 0;
  }
  /// Away with it and all that it has, and another of that name.
  void Replace(int number) {
    if (!All<Deployment>().Delete({space_, DeploymentFleet::NameOf(number)})) return;
    ++orders_;
    while (!fleet_.CreateOne(number, "app:0")) clock().SleepFor(100ms);
  }

  int orders_ = 0;
};

TEST_F(ChaosTest, WhateverBreaksRolloutsKeepTheirPromisesAndComeToTheirEnd) {
  Must(breakage_.Revive());
  Must(fleet_.Create("app:0"));
  Must(fleet_.AwaitComplete(120s));

  const SteadyTime end = clock().DeadlineAfter(
      std::chrono::seconds(NumberFromEnvironment("FLYBALL_CHAOS_SECONDS", 15)));
  // Each once, whatever the time says.
  while (!breakage_.EachHasBroken() || clock().SteadyNow() < end) {
    const auto broken = breakage_.BreakNext();
    ASSERT_TRUE(broken) << broken.error().Describe();
  }

  const auto complete = [&] {
    Must(breakage_.Revive());
    return fleet_.AwaitComplete(5s).has_value();
  };
  EXPECT_TRUE(Eventually(complete, 120s)) << "seed " << seed_;
  // Sets of deployments that were replaced go last.
  EXPECT_TRUE(Eventually([&] { return Must(history_->WrongAtRest()).empty(); }, 60s));
  SCOPED_TRACE("seed " + std::to_string(seed_));
  ExpectSound();
  EXPECT_THAT(breakage_.crashes(), testing::IsEmpty());
  std::cout << breakage_.Describe() << orders_ << " orders; " << history_->Describe() << "\n";
}

}  // namespace
}  // namespace flyball::cluster

// Rollouts on a real API server while everything around them breaks: managers are killed, their
// connections cut, their network is gone, the API server dies. People go on giving orders. All
// that is ever written is held against what managers promise, and in the end all is as it was asked
// for.
//
// FLYBALL_CHAOS_SECONDS sets for how long, FLYBALL_CHAOS_SEED what happens in which order.

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cluster/rollout_test.h"
#include "tests/scripted/proxy.h"

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

class ChaosTest : public RolloutTest {
 protected:
  ChaosTest() : RolloutTest({.deployments = kDeployments, .pods = 5, .adjust = MakeDifferent}) {}

  /// A manager, and its own way to the API server.
  struct Candidate {
    explicit Candidate(std::string its_name) : name(std::move(its_name)) {}
    std::string name;
    scripted::Proxy proxy{executor(), {.target = plane().address()}};
    std::optional<ManagerBinary> manager;
    bool killed = false;  ///< by us
  };

  /// Starts the managers that do not run. One that lost its lease ends, as it must; one that was
  /// ended by a signal that we did not send has crashed.
  void Revive() {
    for (Candidate& one : candidates_) {
      if (one.manager && one.manager->process().Running()) continue;
      if (one.manager && !one.killed) {
        const std::string end = one.manager->process().Describe();
        EXPECT_THAT(end, testing::StartsWith("ended with status")) << one.manager->log();
        ++given_up_;
      }
      const auto kubeconfig =
          Must(plane().WriteKubeconfig(one.name,
                                       {.certificate = plane().IssueClientCertificate(
                                            "system:kube-controller-manager", {}, 12h)},
                                       &one.proxy));
      one.manager.reset();
      one.killed = false;
      one.manager.emplace(
          StartManager(one.name + "-" + std::to_string(++started_), Flags(), kubeconfig));
    }
  }

  // What breaks.
  void KillManager() {
    Candidate& one = Any();
    one.manager->process().Kill();
    one.killed = true;
  }
  void CutConnections() {
    for (Candidate& one : candidates_) one.proxy.Cut();
  }
  void ShutNetwork() { Isolate(&scripted::Proxy::Shut); }
  void LoseNetwork() { Isolate(&scripted::Proxy::Swallow); }
  void Isolate(void (scripted::Proxy::*how)()) {
    Candidate& one = Any();
    (one.proxy.*how)();
    PeopleFor(std::chrono::milliseconds(500 + 500 * Below(12)));
    one.proxy.Open();
  }
  void KillApiServer() {
    real_plane().KillApiServer();
    const auto started = real_plane().StartApiServer();
    ASSERT_TRUE(started) << started.error().Describe();
  }
  void StopApiServer() {
    real_plane().StopApiServer();
    const auto started = real_plane().StartApiServer();
    ASSERT_TRUE(started) << started.error().Describe();
  }

  // What people do meanwhile. What the server does not take from them they forget.
  void PeopleFor(std::chrono::nanoseconds time) {
    const SteadyTime end = clock().DeadlineAfter(time);
    do {
      Order();
      clock().SleepFor(100ms);
    } while (clock().SteadyNow() < end);
  }
  void Order() {
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

  int Below(int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(random_); }
  Candidate& Any() {
    return candidates_[static_cast<std::size_t>(Below(static_cast<int>(candidates_.size())))];
  }

  const std::uint32_t seed_ =
      static_cast<std::uint32_t>(NumberFromEnvironment("FLYBALL_CHAOS_SEED", 1));
  std::mt19937 random_{seed_};
  std::deque<Candidate> candidates_;
  int started_ = 0;
  int given_up_ = 0;
  int orders_ = 0;
};

TEST_F(ChaosTest, WhateverBreaksRolloutsKeepTheirPromisesAndComeToTheirEnd) {
  for (const char* const name : {"anna", "bert"}) candidates_.emplace_back(name);
  Revive();
  Must(fleet_.Create("app:0"));
  Must(fleet_.AwaitComplete(120s));

  const std::vector<std::pair<const char*, std::function<void()>>> faults = {
      {"a manager killed", [this] { KillManager(); }},
      {"connections cut", [this] { CutConnections(); }},
      {"a network shut", [this] { ShutNetwork(); }},
      {"a network lost", [this] { LoseNetwork(); }},
      {"the API server killed", [this] { KillApiServer(); }},
      {"the API server restarted", [this] { StopApiServer(); }},
  };
  std::map<std::string, int> broken;
  const SteadyTime end = clock().DeadlineAfter(
      std::chrono::seconds(NumberFromEnvironment("FLYBALL_CHAOS_SECONDS", 15)));
  // Each once, whatever the time says.
  for (std::size_t i = 0; i < faults.size() || clock().SteadyNow() < end; ++i) {
    const auto& [name, fault] =
        i < faults.size()
            ? faults[i]
            : faults[static_cast<std::size_t>(Below(static_cast<int>(faults.size())))];
    ++broken[name];
    PeopleFor(std::chrono::milliseconds(200 * Below(10)));
    fault();
    ASSERT_FALSE(HasFatalFailure());
    Revive();
  }

  const auto complete = [&] {
    Revive();
    return fleet_.AwaitComplete(5s).has_value();
  };
  EXPECT_TRUE(Eventually(complete, 120s)) << "seed " << seed_;
  // Sets of deployments that were replaced go last.
  EXPECT_TRUE(Eventually([&] { return Must(history_->WrongAtRest()).empty(); }, 60s));
  SCOPED_TRACE("seed " + std::to_string(seed_));
  ExpectSound();
  for (const auto& [name, times] : broken) std::cout << name << ": " << times << "\n";
  std::cout << orders_ << " orders; " << started_ << " managers, of which " << given_up_
            << " gave up; " << history_->Describe() << "\n";
}

}  // namespace
}  // namespace flyball::cluster

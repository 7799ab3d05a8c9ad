#pragma once

#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/cluster/binary_test.h"
#include "tests/cluster/breakage.h"
#include "tests/cluster/number_from_environment.h"
#include "tests/cluster/our_controllers.h"

namespace flyball::cluster {

/// A test, on some other kind of test, in which people go on giving orders while everything breaks.
/// FLYBALL_CHAOS_SEED sets what happens in which order.
template <typename Base>
class Chaos : public Base {
 protected:
  using Base::Base;

  /// One thing that people do. What the server does not take from them they forget.
  virtual void Order() = 0;
  void PeopleFor(std::chrono::nanoseconds time) {
    const SteadyTime end = Base::clock().DeadlineAfter(time);
    do {
      Order();
      Base::clock().SleepFor(std::chrono::milliseconds(100));
    } while (Base::clock().SteadyNow() < end);
  }
  /// What managers are started with.
  virtual std::vector<std::string> Flags() const { return {ControllersFlag()}; }
  int Below(int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(random_); }

  const std::uint32_t seed_ =
      static_cast<std::uint32_t>(NumberFromEnvironment("FLYBALL_CHAOS_SEED", 1));
  std::mt19937 random_{seed_};
  Breakage breakage_{{.plane = Base::real_plane(),
                      .executor = Base::executor(),
                      .random = random_,
                      .start =
                          [this](const std::string& name, const auto& way) {
                            return Base::StartManager(name, Base::Hasty(Flags()), way);
                          },
                      .meanwhile = [this](std::chrono::nanoseconds time) { PeopleFor(time); }}};
};

}  // namespace flyball::cluster

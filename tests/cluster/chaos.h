#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
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

/// One in which people do so many things, as FLYBALL_CHAOS_OPERATIONS says, and stop now and then
/// until all is as it was asked for.
class OperationChaos : public Chaos<BinaryTest> {
 protected:
  /// `breaks`: for so many things that break, of those that people do.
  explicit OperationChaos(int breaks) : step_(std::max(2, wanted_ / breaks)) {}

  /// Until all is as it was asked for.
  virtual void Settle() = 0;
  /// Whether people have the time for another.
  bool MayOrder() { return operations_ < allowed_ && Below(4) == 0; }
  void Done(const char* what) {
    ++operations_;
    ++done_[what];
  }
  /// Until all is done and everything has broken; at rest after about one of `pauses`.
  void BreakAndSettle(int pauses) {
    Settle();
    while (!HasFailure() && (operations_ < wanted_ || !breakage_.EachHasBroken())) {
      const auto broken = breakage_.BreakNext();
      ASSERT_TRUE(broken) << broken.error().Describe();
      allowed_ = std::min(allowed_ + step_, wanted_);
      if (Below(pauses) == 0) Settle();
    }
    Settle();
    EXPECT_THAT(breakage_.crashes(), testing::IsEmpty());
  }
  /// What broke, and what people did.
  std::string Told() const {
    std::string text = breakage_.Describe();
    for (const auto& [what, times] : done_) text += what + ": " + std::to_string(times) + "\n";
    return text + std::to_string(operations_) + " operations, at rest " + std::to_string(settled_) +
           " times; ";
  }

  const int wanted_ = NumberFromEnvironment("FLYBALL_CHAOS_OPERATIONS", 12);
  const int step_;  // for each thing that breaks
  int allowed_ = step_;
  int operations_ = 0;
  int settled_ = 0;
  std::map<std::string, int> done_;
};

}  // namespace flyball::cluster

#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "flyball/sandbox/answer.h"
#include "flyball/sandbox/faults.h"

namespace flyball::sandbox {

/// The faults that a request meets.
struct FaultEffect {
  std::chrono::nanoseconds delay = {};
  std::vector<std::function<void(const Asked& asked)>> interrupts = {};
  bool dropped = false;
  /// What comes instead of the server's answer; one of them at most.
  std::optional<Answer> answer = {};
  std::optional<Error> error = {};
  std::string as_of = {};
  bool twice = false;
  bool answer_lost = false;
  std::optional<std::chrono::nanoseconds> acts_later = {};  ///< the client hears of a break at once
  bool acts_past_timeout = false;  ///< `acts_later` counts from the end of the request's `timeout=`
  std::optional<Answer> late_answer = {};  ///< in place of the server's, once it has acted
  bool stops_the_world = false;
  bool answer_stops_the_world = false;
  std::chrono::nanoseconds answer_delay = {};
  std::vector<std::function<void(std::string& bytes)>> rewrites = {};

  bool ends() const { return dropped || answer || error; }
};

/// The faults that an event of a watch meets.
struct EventFaultEffect {
  bool held = false;
  std::vector<std::shared_ptr<const Rule>> holders = {};  ///< the rules that hold it
  std::chrono::nanoseconds delay = {};
  int replay = 0;
  bool broken = false;
  std::vector<std::function<void(std::string& event)>> rewrites = {};
};

/// A sentence of Faults. Any thread, but for Matches().
class Rule {
 public:
  using Change = std::function<void(FaultEffect& effect)>;
  using EventChange = std::function<void(EventFaultEffect& effect)>;

  Rule(Requests requests, Share share, Change change)
      : requests_(std::move(requests)), share_(share), change_(std::move(change)) {}
  Rule(Requests requests, Share share, EventChange change)
      : requests_(std::move(requests)), share_(share), event_change_(std::move(change)) {}

  bool is_of_events() const { return event_change_ != nullptr; }
  bool lifted() const { return lifted_; }
  int count() const { return count_; }
  void Lift() { lifted_ = true; }

  /// Counts what it meets, and says whether it is one of those. One thread at a time.
  bool Matches(const Asked& asked, std::mt19937_64& dice);
  void Apply(FaultEffect& effect) const { change_(effect); }
  void Apply(EventFaultEffect& effect) const { event_change_(effect); }

 private:
  const Requests requests_;
  const Share share_;
  const Change change_;
  const EventChange event_change_;
  int met_ = 0;  // of Matches()
  std::atomic<int> count_ = 0;
  std::atomic<bool> lifted_ = false;
};
using RulePtr = std::shared_ptr<Rule>;

}  // namespace flyball::sandbox

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

/// What is in store for a request.
struct Course {
  std::chrono::nanoseconds delay = {};
  std::vector<std::function<void(const Asked& asked)>> interrupts = {};
  bool dropped = false;
  /// What comes instead of the server's answer; one of them at most.
  std::optional<Answer> answer = {};
  std::optional<Error> error = {};
  std::string as_of = {};
  bool twice = false;
  bool answer_lost = false;
  bool stops_the_world = false;
  bool answer_stops_the_world = false;
  std::chrono::nanoseconds answer_delay = {};

  bool ends() const { return dropped || answer || error; }
};

/// What is in store for an event of a watch.
struct EventCourse {
  bool held = false;
  std::vector<std::shared_ptr<const Rule>> holders = {};  ///< the rules that hold it
  std::chrono::nanoseconds delay = {};
  int replay = 0;
  bool broken = false;
};

/// A sentence of Faults. Any thread, but for Befalls().
class Rule {
 public:
  using Change = std::function<void(Course& course)>;
  using EventChange = std::function<void(EventCourse& course)>;

  Rule(Requests requests, Share share, Change change)
      : requests_(std::move(requests)), share_(share), change_(std::move(change)) {}
  Rule(Requests requests, Share share, EventChange change)
      : requests_(std::move(requests)), share_(share), event_change_(std::move(change)) {}

  bool is_of_events() const { return event_change_ != nullptr; }
  bool lifted() const { return lifted_; }
  int count() const { return count_; }
  void Lift() { lifted_ = true; }

  /// Counts what it meets, and says whether it is one of those. One thread at a time.
  bool Befalls(const Asked& asked, std::mt19937_64& dice);
  void Apply(Course& course) const { change_(course); }
  void Apply(EventCourse& course) const { event_change_(course); }

 private:
  const Requests requests_;
  const Share share_;
  const Change change_;
  const EventChange event_change_;
  int met_ = 0;  // of Befalls()
  std::atomic<int> count_ = 0;
  std::atomic<bool> lifted_ = false;
};
using RulePtr = std::shared_ptr<Rule>;

}  // namespace flyball::sandbox

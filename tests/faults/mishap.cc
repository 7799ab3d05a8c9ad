#include "tests/faults/mishap.h"

#include <utility>

namespace flyball::faults {
namespace {

using namespace std::chrono_literals;
using sandbox::Asked;
using sandbox::Fault;
using sandbox::Faults;
using sandbox::Requests;

/// A manager that has written nothing for so long waits for something.
constexpr auto kQuiet = 3s;
/// And one that has not been quiet after so long never will be.
constexpr int kMostWaits = 10;
/// What is still to come of it all, a relist after a back-off for example, comes by then.
constexpr auto kAftermath = 10s;
/// Where nobody knows what a write came to, its key waits for a bookmark: for up to a minute.
constexpr auto kAftermathOfDoubt = 70s;

/// Events are lost with the manager that was to write them, and so they may be: nothing depends on
/// them.
bool Matters(const Asked& asked) { return asked.target.plural != "events"; }

std::string LineOf(const Asked& asked) {
  const sandbox::Target& target = asked.target;
  std::string line = asked.verb + " " + target.plural;
  if (!target.subresource.empty()) line += "/" + target.subresource;
  if (!target.namespace_.empty()) line += " " + target.namespace_;
  if (!target.name.empty()) line += (target.namespace_.empty() ? " " : "/") + target.name;
  return line;
}

}  // namespace

void Mishap::LookAt(Faults& line) {
  const auto at_the_point = [this, &line](bool write) {
    return [this, &line, write](const Asked& asked) {
      return Matters(asked) && Note(asked, write, line);
    };
  };
  auto write = line.On(Requests::Writes().Where(at_the_point(true)));
  switch (point_ ? point_->kind : Point::Kind::kLoseAnswer) {
    case Point::Kind::kKillBefore:
      write.StopTheWorld();
      break;
    case Point::Kind::kKillAfter:
      write.StopTheWorldAfter();
      break;
    default:
      write.LoseAnswer();
  }
  const Fault hold = line.OnEvents(Requests::Watches().Where(at_the_point(false))).Hold();
  const MutexLock lock(mutex_);
  holds_.emplace_back(&line, hold);
}

bool Mishap::Note(const Asked& asked, bool write, Faults& line) {
  const MutexLock lock(mutex_);
  if (!begun_ || ended_) return false;
  std::vector<std::string>& noted = write ? writes_ : events_;
  noted.push_back(LineOf(asked));
  if (!point_ || point_->of_writes() != write || std::ssize(noted) != point_->number) return false;
  line_ = &line;
  held_ = asked.target.path;
  changed_.NotifyAll();
  return true;
}

void Mishap::Begin() {
  const MutexLock lock(mutex_);
  begun_ = true;
}

void Mishap::End() {
  const MutexLock lock(mutex_);
  ended_ = true;
  changed_.NotifyAll();
}

bool Mishap::met() const {
  const MutexLock lock(mutex_);
  return line_ != nullptr;
}

bool Mishap::disturbs() const {
  const MutexLock lock(mutex_);
  return line_ != nullptr && !over_;
}

std::vector<std::string> Mishap::writes() const {
  const MutexLock lock(mutex_);
  return writes_;
}

std::vector<std::string> Mishap::events() const {
  const MutexLock lock(mutex_);
  return events_;
}

void Mishap::KeepWatch() {
  Faults* line = nullptr;
  Clock& clock = deps_.executor.clock();
  {
    MutexLock lock(mutex_);
    clock.Wait(lock, changed_, [this]() FLYBALL_REQUIRES(mutex_) { return line_ || ended_; });
    line = line_;
  }
  if (line == nullptr) return;
  if (point_->kills()) {
    // The answer that it ends with may be still to come.
    static_cast<void>(line->WaitUntilStopped(clock.DeadlineAfter(kQuiet)));
    deps_.replace_manager();
  } else if (!point_->of_writes()) {
    HoldWatch(*line);
  }
  clock.SleepFor(point_->kind == Point::Kind::kLoseAnswer ? kAftermathOfDoubt : kAftermath);
  const MutexLock lock(mutex_);
  over_ = true;
}

void Mishap::HoldWatch(Faults& line) {
  AwaitQuiet(line);
  std::vector<std::string> path;
  std::vector<std::pair<Faults*, Fault>> holds;
  {
    const MutexLock lock(mutex_);
    path = held_;
    holds = holds_;
  }
  if (point_->kind == Point::Kind::kMiss) {
    const Requests watch =
        Requests::Watches().Where([path](const Asked& asked) { return asked.target.path == path; });
    // What it held is dropped, and what it would go on from is no longer there.
    line.On(watch).Once().Expire();
    line.BreakWatches(watch);
  }
  for (auto& [its_line, hold] : holds) {
    if (its_line == &line) hold.Lift();
  }
}

void Mishap::AwaitQuiet(const Faults& line) const {
  for (int i = 0; i < kMostWaits; ++i) {
    const int writes = line.writes();
    deps_.executor.clock().SleepFor(kQuiet);
    if (line.writes() == writes) return;
  }
}

}  // namespace flyball::faults

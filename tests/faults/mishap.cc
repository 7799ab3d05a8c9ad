#include "tests/faults/mishap.h"

#include <stdexcept>
#include <utility>

#include "flyball/sandbox/answer.h"

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
/// Where nobody knows what a write came to, its key is held until the server can no longer act, and
/// then until the cache has got to what a list says: for up to a minute.
constexpr auto kAftermathOfDoubt = 100s;
/// How late a write is that is carried out late.
constexpr auto kLate = 5s;
/// And how long after its `timeout=` it may be carried out at the last.
constexpr auto kLast = 1s;
constexpr auto kRefusalsLast = 90s;
constexpr auto kFrozenFor = std::chrono::minutes(3);
constexpr auto kClockIsOffBy = std::chrono::hours(1);
constexpr auto kClockIsOffFor = std::chrono::minutes(1);
/// For how long another leads before one that stood still goes on.
constexpr auto kReign = 10s;
/// By then what failed for as long as that has been tried again.
constexpr auto kAftermathOfRefusals = 200s;

/// Events are lost with the manager that was to write them, and so they may be: nothing depends on
/// them. Leases are the election's, and would make the points others at each change of the times.
bool Matters(const Asked& asked) {
  return asked.target.plural != "events" && asked.target.plural != "leases";
}

/// A page of a proxy that has lost the server.
sandbox::Answer ProxyPage() {
  return {.status = 502, .content_type = "text/html", .body = "<html>502 Bad Gateway</html>"};
}

sandbox::Answer WaitAndRetry() {
  sandbox::Answer answer = sandbox::Answer::Text(503, "try again");
  answer.headers.emplace_back("retry-after", "1");
  return answer;
}

std::string LineOf(const Asked& asked) {
  const sandbox::RequestInfo& target = asked.target;
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
  auto all_else = line.On(Requests::Writes().Where(
      [this](const Asked& asked) { return Matters(asked) && RefusesAll(); }));
  switch (point_ ? point_->kind : Point::Kind::kLoseAnswer) {
    case Point::Kind::kKillBefore:
      write.StopTheWorld();
      break;
    case Point::Kind::kKillAfter:
      write.StopTheWorldAfter();
      break;
    case Point::Kind::kAnswer503:
      write.RefuseAfter(503);
      break;
    case Point::Kind::kKillLate:
      write.StopTheWorldAndActPastTimeout(kLast);
      break;
    case Point::Kind::kAnswerPage:
      write.AnswerAfter(ProxyPage());
      break;
    case Point::Kind::kAnswerWait:
      write.AnswerAfter(WaitAndRetry());
      break;
    case Point::Kind::kActLate:
      write.ActLater(kLate);
      break;
    case Point::Kind::kActLast:
    case Point::Kind::kStopLate:
      write.ActPastTimeout(kLast);
      break;
    case Point::Kind::kRefuse:
      write.Refuse(403);
      break;
    case Point::Kind::kRefuseOn:
      write.Refuse(429);
      all_else.Refuse(429);
      break;
    case Point::Kind::kForbidOn:
      write.Refuse(403);
      all_else.Refuse(403);
      break;
    case Point::Kind::kRefuse404:
      write.Refuse(404);
      break;
    case Point::Kind::kRefuse409:
      write.Refuse(409);
      break;
    case Point::Kind::kRefuseTwin:
      write.Refuse(sandbox::AlreadyExists({}, "a twin"));
      break;
    case Point::Kind::kRefuse422:
      write.Refuse(422);
      break;
    case Point::Kind::kPause:
      write.StopTheWorld();  // its own, until it goes on
      break;
    case Point::Kind::kThrow:
    case Point::Kind::kStop:
    case Point::Kind::kLeaseGone:
    case Point::Kind::kClockOn:
    case Point::Kind::kClockBack:
      write.Delay({});  // the write itself is like any other
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
  refuses_all_ = true;
  held_ = asked.target.path;
  changed_.NotifyAll();
  if (point_->kind == Point::Kind::kPause) deps_.managers.ProcessOf(line).Pause();
  if (point_->kind == Point::Kind::kThrow) throw std::runtime_error("a fault that was asked for");
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
  PlayOut(*line);
  clock.SleepFor(Aftermath());
  const MutexLock lock(mutex_);
  over_ = true;
}

void Mishap::PlayOut(Faults& line) {
  Managers& managers = deps_.managers;
  switch (point_->kind) {
    case Point::Kind::kKillBefore:
    case Point::Kind::kKillAfter:
    case Point::Kind::kKillLate:
      // The answer that it ends with may be still to come.
      static_cast<void>(line.WaitUntilStopped(deps_.executor.clock().DeadlineAfter(kQuiet)));
      return managers.Replace(line);
    case Point::Kind::kStop:
    case Point::Kind::kStopLate:
      return managers.Restart(line);
    case Point::Kind::kPause:
      return PauseProcess(line);
    case Point::Kind::kLeaseGone:
      managers.DeleteLease();
      managers.AwaitEnd(line);
      return managers.Replace(line);
    case Point::Kind::kClockOn:
      return ShiftClock(line, kClockIsOffBy);
    case Point::Kind::kClockBack:
      return ShiftClock(line, -kClockIsOffBy);
    case Point::Kind::kRefuseOn:
    case Point::Kind::kForbidOn:
      return RefuseOn();
    case Point::Kind::kHold:
    case Point::Kind::kMiss:
    case Point::Kind::kFreeze:
      return HoldWatch(line);
    default:
      return;  // it was over at once
  }
}

std::chrono::nanoseconds Mishap::Aftermath() const {
  switch (point_->kind) {
    case Point::Kind::kLoseAnswer:
    case Point::Kind::kAnswer503:
    case Point::Kind::kAnswerPage:
    case Point::Kind::kAnswerWait:
    case Point::Kind::kActLate:
    case Point::Kind::kActLast:
      return kAftermathOfDoubt;
    case Point::Kind::kRefuseOn:
    case Point::Kind::kForbidOn:
      return kAftermathOfRefusals;
    default:
      return kAftermath;
  }
}

void Mishap::RefuseOn() {
  deps_.executor.clock().SleepFor(kRefusalsLast);
  const MutexLock lock(mutex_);
  refuses_all_ = false;
}

void Mishap::PauseProcess(Faults& line) {
  deps_.managers.Succeed(line);
  deps_.executor.clock().SleepFor(kReign);
  deps_.managers.ProcessOf(line).Resume();
  line.Resume();
  deps_.managers.AwaitEnd(line);
}

void Mishap::ShiftClock(Faults& line, std::chrono::nanoseconds by) {
  DeterministicExecutor::Process& process = deps_.managers.ProcessOf(line);
  process.ShiftWallClock(by);
  deps_.executor.clock().SleepFor(kClockIsOffFor);
  process.ShiftWallClock(-by);
}

bool Mishap::RefusesAll() const {
  const MutexLock lock(mutex_);
  return refuses_all_;
}

void Mishap::HoldWatch(Faults& line) {
  if (point_->kind == Point::Kind::kFreeze) {
    deps_.executor.clock().SleepFor(kFrozenFor);
  } else {
    AwaitQuiet();
  }
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

void Mishap::AwaitQuiet() const {
  for (int i = 0; i < kMostWaits; ++i) {
    const std::size_t tried = writes().size();
    deps_.executor.clock().SleepFor(kQuiet);
    if (writes().size() == tried) return;
  }
}

}  // namespace flyball::faults

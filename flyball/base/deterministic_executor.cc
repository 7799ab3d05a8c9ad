#include "flyball/base/deterministic_executor.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <random>
#include <source_location>
#include <string_view>
#include <thread>
#include <utility>

#include "flyball/base/check.h"

namespace flyball {

using std::chrono::nanoseconds;

namespace {

/// Unwinds a task that is abandoned while it waits.
struct Abandoned {};

std::string Describe(const std::source_location& where) {
  std::string_view file = where.file_name();
  file.remove_prefix(file.rfind('/') + 1);  // npos + 1 is 0
  return std::string(file) + ":" + std::to_string(where.line()) + " in " + where.function_name();
}

}  // namespace

/// Every task has a thread, and there is one baton, `running_`: a thread that does not have it
/// stands in Resume() or Yield(). It passes between the test's thread and one task at a time, under
/// mutex_, so that what one does happens before what the next does, for sanitizers too.
///
/// As a Clock it hands the baton back where others block.
class DeterministicExecutor::Scheduler final : public Clock {
 public:
  Scheduler(std::uint64_t seed, const Options& options)
      : start_(options.start), max_steps_(options.max_steps), random_(seed) {}

  WallTime WallNow() const override { return start_ + Elapsed(); }
  SteadyTime SteadyNow() const override { return kEpoch + Elapsed(); }

  /// `paused` says whether its process stands still; null: it never does.
  void Start(std::string name, Task function, std::shared_ptr<const bool> paused = {});
  void SetPaused(bool& paused, bool value);
  Report Run(std::optional<nanoseconds> span);
  void Abandon();
  std::vector<Step> trace() const;

 protected:
  void Park(Waiter& waiter) override;
  bool Unpark(Waiter& waiter) override;

 private:
  friend class Process::ShiftedClock;

  using Lock = std::unique_lock<std::mutex>;

  struct TaskState {
    std::string name;
    Task function;
    std::thread thread;  // not joinable before its first step
    std::condition_variable resume;
    std::shared_ptr<const bool> paused;
    Waiter* waiter = nullptr;  // null but in a wait
    bool done = false;

    bool StandsStill() const { return paused && *paused; }
    bool CanRun() const {
      return !done && !StandsStill() &&
             (waiter == nullptr || waiter->state != Waiter::State::kWaiting);
    }
  };

  static constexpr SteadyTime kEpoch{std::chrono::hours(1)};

  nanoseconds Elapsed() const {
    const std::lock_guard guard(mutex_);
    return now_ - kEpoch;
  }
  bool IsRunningLocked() const {
    return running_ != nullptr && running_->thread.get_id() == std::this_thread::get_id();
  }

  TaskState* DrawLocked();
  std::optional<SteadyTime> NextDeadlineLocked() const;
  void AdvanceLocked(SteadyTime now);
  void Resume(Lock& lock, TaskState& task);
  void Yield(Lock& lock, TaskState& task);
  void Main(TaskState& task);
  Report ReportLocked(Report::Outcome outcome) const;

  const WallTime start_;
  const std::size_t max_steps_;

  // Guards all below and the state of every waiter.
  mutable std::mutex mutex_;
  std::condition_variable yielded_;
  SteadyTime now_ = kEpoch;
  std::mt19937_64 random_;
  std::vector<std::unique_ptr<TaskState>> tasks_;  // in order of their start; never one that ended
  TaskState* running_ = nullptr;
  bool abandoning_ = false;
  std::vector<Step> trace_;
};

void DeterministicExecutor::Scheduler::Start(std::string name, Task function,
                                             std::shared_ptr<const bool> paused) {
  // Before the lock: if the task is dropped, what it holds goes without it.
  auto task = std::make_unique<TaskState>();
  task->name = std::move(name);
  task->function = std::move(function);
  task->paused = std::move(paused);
  Lock lock(mutex_);
  if (abandoning_) return;
  tasks_.push_back(std::move(task));
  // With a lock in its hand the starter must go on: no other could take it.
  if (IsRunningLocked() && Mutex::HeldByThisThread() == 0) Yield(lock, *running_);
}

void DeterministicExecutor::Scheduler::SetPaused(bool& paused, bool value) {
  const Lock lock(mutex_);
  paused = value;
}

DeterministicExecutor::Report DeterministicExecutor::Scheduler::Run(
    std::optional<nanoseconds> span) {
  const SteadyTime end = span ? DeadlineAfter(*span) : SteadyTime::max();
  Lock lock(mutex_);
  FLYBALL_CHECK(running_ == nullptr, "a run was started from within a task");
  for (std::size_t steps = 0; steps < max_steps_;) {
    if (TaskState* const task = DrawLocked()) {
      Resume(lock, *task);
      ++steps;
      continue;
    }
    const std::optional<SteadyTime> next = NextDeadlineLocked();
    if (next && *next <= end) {
      AdvanceLocked(*next);
      continue;
    }
    if (span) now_ = end;
    if (tasks_.empty()) return ReportLocked(Report::Outcome::kAllDone);
    return ReportLocked(next ? Report::Outcome::kTimeIsUp : Report::Outcome::kDeadlock);
  }
  return ReportLocked(Report::Outcome::kStepLimit);
}

DeterministicExecutor::Scheduler::TaskState* DeterministicExecutor::Scheduler::DrawLocked() {
  std::vector<TaskState*> candidates;
  for (const auto& task : tasks_) {
    if (task->CanRun()) candidates.push_back(task.get());
  }
  if (candidates.empty()) return nullptr;
  // Not std::uniform_int_distribution, whose sequence differs between libraries. The bias of a
  // remainder does not matter here.
  return candidates[random_() % candidates.size()];
}

std::optional<SteadyTime> DeterministicExecutor::Scheduler::NextDeadlineLocked() const {
  std::optional<SteadyTime> next;
  for (const auto& task : tasks_) {
    // Time does not jump to what a process that stands still waits for.
    if (task->StandsStill()) continue;
    // The end of time never comes: who waits for it waits for ever.
    if (task->waiter == nullptr || task->waiter->deadline == SteadyTime::max()) continue;
    const std::optional<SteadyTime>& deadline = task->waiter->deadline;
    if (deadline && (!next || *deadline < *next)) next = deadline;
  }
  return next;
}

void DeterministicExecutor::Scheduler::AdvanceLocked(SteadyTime now) {
  now_ = std::max(now_, now);
  for (const auto& task : tasks_) {
    Waiter* const waiter = task->waiter;
    if (waiter == nullptr || waiter->state != Waiter::State::kWaiting) continue;
    if (waiter->deadline && *waiter->deadline <= now_) waiter->state = Waiter::State::kTimedOut;
  }
}

/// On the test's thread: gives the task the baton and waits to have it back.
void DeterministicExecutor::Scheduler::Resume(Lock& lock, TaskState& task) {
  trace_.push_back({now_ - kEpoch, task.name});
  running_ = &task;
  if (task.thread.joinable()) {
    task.resume.notify_one();
  } else {
    task.thread = std::thread([this, &task] { Main(task); });
  }
  yielded_.wait(lock, [&] { return running_ == nullptr; });
  if (!task.done) return;
  task.thread.join();
  std::erase_if(tasks_, [&](const auto& other) { return other.get() == &task; });
}

/// On a task's thread: gives the baton back and waits to be drawn again.
void DeterministicExecutor::Scheduler::Yield(Lock& lock, TaskState& task) {
  running_ = nullptr;
  yielded_.notify_one();
  task.resume.wait(lock, [&] { return running_ == &task; });
  if (abandoning_) throw Abandoned();
}

void DeterministicExecutor::Scheduler::Main(TaskState& task) {
  SetThreadName(task.name);
  // Not before Resume() has let go of the lock, and with it of `task.thread`.
  Task function;
  {
    const Lock lock(mutex_);
    function = std::move(task.function);
  }
  RunToEnd(task.name, [&function] {
    try {
      Task(std::move(function))();
    } catch (const Abandoned&) {  // NOLINT(bugprone-empty-catch): unwinding was all it was for
    }
  });
  const Lock lock(mutex_);
  task.done = true;
  running_ = nullptr;
  yielded_.notify_one();
}

void DeterministicExecutor::Scheduler::Park(Waiter& waiter) {
  Lock lock(mutex_);
  FLYBALL_CHECK(IsRunningLocked(), "a wait under a deterministic clock from outside its tasks: " +
                                       Describe(waiter.where));
  TaskState& task = *running_;
  FLYBALL_CHECK(Mutex::HeldByThisThread() == 0,
                task.name + " waits with another Mutex held: " + Describe(waiter.where));
  if (abandoning_) throw Abandoned();
  if (waiter.deadline && *waiter.deadline <= now_) waiter.state = Waiter::State::kTimedOut;
  task.waiter = &waiter;
  // Also if it is thrown out: nobody may look at the waiter after this.
  struct Forget {
    ~Forget() { task.waiter = nullptr; }
    TaskState& task;
  } const forget{task};
  Yield(lock, task);
}

bool DeterministicExecutor::Scheduler::Unpark(Waiter& waiter) {
  const Lock lock(mutex_);
  if (waiter.state != Waiter::State::kWaiting) return false;
  waiter.state = Waiter::State::kNotified;
  return true;
}

void DeterministicExecutor::Scheduler::Abandon() {
  Lock lock(mutex_);
  FLYBALL_CHECK(running_ == nullptr, "a run was abandoned from within a task");
  abandoning_ = true;
  while (!tasks_.empty()) {
    if (tasks_.front()->thread.joinable()) {
      Resume(lock, *tasks_.front());
      continue;
    }
    // Without the lock: what it holds may notify as it goes.
    const std::unique_ptr<TaskState> dropped = std::move(tasks_.front());
    tasks_.erase(tasks_.begin());
    lock.unlock();
    dropped->function = nullptr;
    lock.lock();
  }
  abandoning_ = false;
}

std::vector<DeterministicExecutor::Step> DeterministicExecutor::Scheduler::trace() const {
  const Lock lock(mutex_);
  return trace_;
}

DeterministicExecutor::Report DeterministicExecutor::Scheduler::ReportLocked(
    Report::Outcome outcome) const {
  Report report{outcome, {}};
  for (const auto& task : tasks_) {
    if (task->waiter == nullptr) continue;
    BlockedTask blocked{task->name, Describe(task->waiter->where), std::nullopt};
    if (task->waiter->deadline) blocked.deadline = *task->waiter->deadline - kEpoch;
    report.blocked.push_back(std::move(blocked));
  }
  return report;
}

std::string DeterministicExecutor::Report::Describe() const {
  constexpr std::string_view kOutcomes[] = {"all done", "deadlock", "time is up",
                                            "more steps than a run may take"};
  std::string text(kOutcomes[static_cast<std::size_t>(outcome)]);
  std::string_view separator = ": ";
  for (const BlockedTask& task : blocked) {
    text.append(separator).append(task.task).append(" waits in ").append(task.waits_in);
    separator = "; ";
  }
  return text;
}

/// The scheduler's time, with another date.
class DeterministicExecutor::Process::ShiftedClock final : public Clock {
 public:
  explicit ShiftedClock(Scheduler& scheduler) : scheduler_(scheduler) {}

  WallTime WallNow() const override { return scheduler_.WallNow() + shift_.load(); }
  SteadyTime SteadyNow() const override { return scheduler_.SteadyNow(); }
  void ShiftBy(nanoseconds by) { shift_ = shift_.load() + by; }

 protected:
  void Park(Waiter& waiter) override { scheduler_.Park(waiter); }
  bool Unpark(Waiter& waiter) override { return scheduler_.Unpark(waiter); }

 private:
  Scheduler& scheduler_;
  std::atomic<nanoseconds> shift_ = nanoseconds::zero();
};

DeterministicExecutor::Process::Process(DeterministicExecutor& executor)
    : executor_(executor),
      clock_(std::make_unique<ShiftedClock>(*executor.scheduler_)),
      paused_(std::make_shared<bool>(false)) {}

DeterministicExecutor::Process::~Process() = default;

void DeterministicExecutor::Process::Start(std::string name, Task task) {
  FLYBALL_CHECK(task != nullptr, "an empty task: " + name);
  executor_.scheduler_->Start(std::move(name), std::move(task), paused_);
}

Clock& DeterministicExecutor::Process::clock() { return *clock_; }

void DeterministicExecutor::Process::Drain() { executor_.Drain(); }

void DeterministicExecutor::Process::Pause() { executor_.scheduler_->SetPaused(*paused_, true); }

void DeterministicExecutor::Process::Resume() { executor_.scheduler_->SetPaused(*paused_, false); }

void DeterministicExecutor::Process::ShiftWallClock(nanoseconds by) { clock_->ShiftBy(by); }

DeterministicExecutor::DeterministicExecutor(std::uint64_t seed, Options options)
    : scheduler_(std::make_unique<Scheduler>(seed, options)) {}

DeterministicExecutor::~DeterministicExecutor() { Abandon(); }

void DeterministicExecutor::Start(std::string name, Task task) {
  FLYBALL_CHECK(task != nullptr, "an empty task: " + name);
  scheduler_->Start(std::move(name), std::move(task));
}

Clock& DeterministicExecutor::clock() { return *scheduler_; }

std::unique_ptr<DeterministicExecutor::Process> DeterministicExecutor::NewProcess() {
  return std::unique_ptr<Process>(new Process(*this));
}

DeterministicExecutor::Report DeterministicExecutor::RunUntilIdle() {
  return scheduler_->Run(std::nullopt);
}

DeterministicExecutor::Report DeterministicExecutor::RunFor(nanoseconds span) {
  return scheduler_->Run(span);
}

void DeterministicExecutor::Drain() {
  const Report report = RunUntilIdle();
  FLYBALL_CHECK(report.outcome == Report::Outcome::kAllDone, report.Describe());
}

void DeterministicExecutor::Abandon() { scheduler_->Abandon(); }

std::vector<DeterministicExecutor::Step> DeterministicExecutor::trace() const {
  return scheduler_->trace();
}

std::string FormatTrace(const std::vector<DeterministicExecutor::Step>& trace) {
  std::string text;
  for (const DeterministicExecutor::Step& step : trace) {
    constexpr long long kSecond = 1'000'000'000;
    char at[40];
    std::snprintf(at, sizeof(at), "+%lld.%09llds ",
                  static_cast<long long>(step.at.count()) / kSecond,
                  static_cast<long long>(step.at.count()) % kSecond);
    text.append(at).append(step.task).append("\n");
  }
  return text;
}

}  // namespace flyball

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flyball/base/clock.h"
#include "flyball/base/executor.h"

namespace flyball {

/// Runs tasks one at a time in an order that a seed decides: same seed, same run, to the last
/// switch. A test runs a system of tasks under many seeds; one that fails is replayed from its
/// seed, in a debugger if need be.
///
/// A task runs until it waits through clock(), ends, or starts another task; then the next is drawn
/// from those that can run. When none can, time jumps to the earliest deadline, so an hour of
/// timeouts costs nothing. Waits whose deadline has come already, SleepFor(0) among them, are
/// points of switching too.
///
/// What must hold for that:
///  - all waiting is done through clock(). What blocks otherwise (a socket, a std::mutex held by
///    another task) blocks the run.
///  - no Mutex is held at a wait, but the one waited with: this aborts, naming the task. A Start()
///    with a Mutex held is no point of switching.
///  - nothing but its tasks touches the system during a run: between runs the test may.
///
/// All but Start() and clock() is for the thread of the test. Tasks that are still blocked when the
/// test is over are unwound by Abandon(), which must come before the things they use are destroyed;
/// the destructor calls it.
class DeterministicExecutor final : public Executor {
 public:
  struct Options {
    WallTime start = WallTime(std::chrono::sys_days{std::chrono::year(2026) / 1 / 1});
    /// A run that takes more switches than this is taken for one that will never end.
    std::size_t max_steps = 1'000'000;
  };

  /// A task took over. Traces are equal when the runs were.
  struct Step {
    std::chrono::nanoseconds at;  ///< since the executor was made, in virtual time
    std::string task;
    friend bool operator==(const Step&, const Step&) = default;
  };

  struct BlockedTask {
    std::string task;
    std::string waits_in;                              ///< "queue.cc:120 in Queue::Get()"
    std::optional<std::chrono::nanoseconds> deadline;  ///< as Step::at; none: for ever
    friend bool operator==(const BlockedTask&, const BlockedTask&) = default;
  };

  /// How a run ended, and who was blocked then, in the order in which they were started.
  struct Report {
    enum class Outcome {
      kAllDone,    ///< no task is left
      kDeadlock,   ///< none can run, and none has a deadline: they wait for each other or the test
      kTimeIsUp,   ///< RunFor() only: the rest have deadlines beyond its end
      kStepLimit,  ///< they hand over to each other without end
    };
    Outcome outcome = Outcome::kAllDone;
    std::vector<BlockedTask> blocked;

    /// "deadlock: consumer waits in queue.cc:120 in ...; producer waits in ...".
    std::string Describe() const;
  };

  /// The tasks of one process of the system under test, which can stand still while others go on,
  /// as one does that is stopped by a signal or whose machine is suspended, and whose wall clock
  /// can be wrong. Timers and whatever else waits for it have to be made with it. Must not outlive
  /// the DeterministicExecutor.
  class Process final : public Executor {
   public:
    ~Process() override;

    void Start(std::string name, Task task) override;
    Clock& clock() override;
    /// For the test that owns the DeterministicExecutor, which drains all tasks.
    void Drain() override;

    /// None of its tasks takes over until Resume(). One of its own that calls this goes on to its
    /// next point of switching. Deadlines that come meanwhile have come then.
    void Pause();
    void Resume();
    /// Sets its wall clock forward, or back. SteadyNow() does not change.
    void ShiftWallClock(std::chrono::nanoseconds by);

   private:
    friend class DeterministicExecutor;
    class ShiftedClock;

    explicit Process(DeterministicExecutor& executor);

    DeterministicExecutor& executor_;
    const std::unique_ptr<ShiftedClock> clock_;
    const std::shared_ptr<bool> paused_;  ///< guarded by the scheduler's mutex
  };

  explicit DeterministicExecutor(std::uint64_t seed) : DeterministicExecutor(seed, Options()) {}
  DeterministicExecutor(std::uint64_t seed, Options options);
  ~DeterministicExecutor() override;

  /// Names ought to be distinct, else a trace cannot tell tasks apart.
  void Start(std::string name, Task task) override;
  Clock& clock() override;
  std::unique_ptr<Process> NewProcess();

  /// Runs until no task can run and none has a deadline. Tasks that tick for ever need RunFor().
  [[nodiscard]] Report RunUntilIdle();

  /// Runs what happens within `span` of virtual time, and leaves the clock at its end.
  [[nodiscard]] Report RunFor(std::chrono::nanoseconds span);

  /// RunUntilIdle(), which must leave no task.
  void Drain() override;

  /// Ends all tasks: those not begun are dropped, and in the others the wait they are in throws
  /// something that is not a std::exception. Destructors that run then must not wait, and what
  /// they start is dropped.
  void Abandon();

  /// Every step since the executor was made.
  std::vector<Step> trace() const;

 private:
  class Scheduler;

  const std::unique_ptr<Scheduler> scheduler_;
};

/// One step a line: "+1.500000000s consumer".
std::string FormatTrace(const std::vector<DeterministicExecutor::Step>& trace);

}  // namespace flyball

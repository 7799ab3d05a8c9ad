#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "flyball/base/clock.h"

namespace flyball {

/// Where concurrent work runs. A task is a plain blocking function; it has a thread to itself for
/// as long as it runs, so that one stuck task starves no other. How many run at once is for those
/// who start them to limit. This and DeterministicExecutor are the only places that make threads:
/// std::thread is banned outside flyball/base/ (see clock.h).
///
/// An exception that leaves a task is a programmer's error and aborts the process, naming the task:
/// what can fail says so with a Result. Nobody knows what the task has left half done, and whoever
/// waits for it would wait for ever; a process that starts anew reads everything again.
class Executor {
 public:
  using Task = std::move_only_function<void()>;

  virtual ~Executor() = default;

  /// Runs `task` soon, and destroys it on the thread that ran it. `name` says who it is, in
  /// debuggers and reports: "deployment/worker-2". Any thread may call it, tasks too.
  virtual void Start(std::string name, Task task) = 0;

  /// The clock that tasks must take their time from and wait by.
  virtual Clock& clock() = 0;

  /// Returns when no task is left, those that tasks start meanwhile included. Asking them to end is
  /// the caller's matter. Not from within a task.
  virtual void Drain() = 0;

 protected:
  /// Runs and destroys a task; aborts if an exception leaves it.
  static void RunToEnd(const std::string& name, Task task);
};

/// The real one: an elastic pool. A task takes the thread that went idle last, or a new one if
/// there is none; a thread idle for `idle_timeout` ends. So there are as many threads as there is
/// work at once, and 49 idle controllers need a handful.
///
/// Where the system has no more threads (pids.max, which others in the container use up too), a
/// task waits until another one ends or a later Start() gets a thread. It may be one that others
/// wait for, so the process aborts if it still has none at a Start() after kLongestWait: a leader
/// that stands still must not keep its lease.
///
/// The destructor drains, and joins every thread.
class ElasticExecutor final : public Executor {
 public:
  struct Options {
    std::chrono::nanoseconds idle_timeout = std::chrono::seconds(30);
    /// What idle threads wait by; for tests of the pool itself. If null, real time: else the idle
    /// threads of the pool would be among the waiters that a test of its tasks counts.
    Clock* idle_clock = nullptr;
    /// Makes a thread, or throws what std::thread's constructor throws; for tests of the pool.
    std::function<std::thread(std::function<void()> run)> make_thread = {};
  };
  static constexpr std::chrono::seconds kLongestWait{10};

  explicit ElasticExecutor(Clock& clock) : ElasticExecutor(clock, Options()) {}
  ElasticExecutor(Clock& clock, Options options);
  ~ElasticExecutor() override;

  void Start(std::string name, Task task) override;
  Clock& clock() override { return clock_; }
  void Drain() override;

  /// How many threads the pool has, busy and idle.
  std::size_t threads() const;

 private:
  class Pool;

  Clock& clock_;
  const std::unique_ptr<Pool> pool_;
};

/// Names the calling thread, as far as the 15 characters go that Linux keeps.
void SetThreadName(std::string_view name);

}  // namespace flyball

#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flyball/base/clock.h"
#include "flyball/base/executor.h"
#include "flyball/base/mutex.h"
#include "flyball/queue/work_queue.h"

namespace flyball::queue {

/// Has the keys of a queue processed, by at most so many tasks at a time, and by none while no key
/// waits: a process may have many of these and few threads.
///
/// Any thread may call it, but tasks of its own may not stop it. The queue and the executor must
/// outlive it.
template <typename Key = api::ObjectKey>
class WorkerPool {
 public:
  struct Options {
    std::string name;         ///< of the tasks: "deployment" makes "deployment/0", "deployment/1"
    std::size_t workers = 1;  ///< at most
  };
  /// Called by several tasks at a time, never for one key by two.
  using Process = std::function<void(typename WorkQueue<Key>::Work)>;

  /// Begins at once.
  WorkerPool(WorkQueue<Key>& queue, Executor& executor, Options options, Process process)
      : state_(std::make_shared<State>(queue, executor, std::move(options), std::move(process))) {
    queue.OnReady([state = state_](std::size_t keys) { State::StartWorkers(state, keys); });
  }
  ~WorkerPool() { static_cast<void>(Stop(SteadyTime::max())); }
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Takes no more keys from the queue, and waits for those that are being processed. False if they
  /// still are at the deadline. To have all keys processed first, drain the queue.
  [[nodiscard]] bool Stop(SteadyTime deadline) {
    state_->queue.OnReady(nullptr);
    MutexLock lock(state_->mutex);
    state_->stopping = true;
    const auto all_idle = [this]() FLYBALL_REQUIRES(state_->mutex) { return state_->AllIdle(); };
    return state_->executor.clock().WaitUntil(lock, state_->all_idle, deadline, all_idle);
  }

  /// How many tasks there are.
  std::size_t running() const {
    const MutexLock lock(state_->mutex);
    return state_->options.workers - state_->free.size();
  }

 private:
  struct State;

  /// A worker's right to run. Given back also where the task is dropped or unwound, as in a
  /// deterministic run that is abandoned.
  struct Slot {
    Slot(std::shared_ptr<State> owner, std::size_t index)
        : state(std::move(owner)), number(index) {}
    Slot(Slot&&) noexcept = default;
    Slot& operator=(Slot&&) = delete;
    ~Slot() {
      if (state == nullptr) return;
      const MutexLock lock(state->mutex);
      state->GiveBack(number);
    }

    std::shared_ptr<State> state;  // null when given back
    std::size_t number;
  };

  /// Shared with the tasks and with calls from the queue that are under way.
  struct State {
    State(WorkQueue<Key>& from, Executor& runs_on, Options given, Process work)
        : queue(from), executor(runs_on), options(std::move(given)), process(std::move(work)) {
      for (std::size_t number = options.workers; number > 0; --number) free.push_back(number - 1);
    }

    static void StartWorkers(const std::shared_ptr<State>& state, std::size_t keys) {
      for (; keys > 0; --keys) {
        std::optional<Slot> slot = TakeSlot(state);
        if (!slot) return;
        std::string name = state->options.name + "/" + std::to_string(slot->number);
        state->executor.Start(std::move(name), [slot = std::move(*slot)]() mutable {
          const std::shared_ptr<State> pool = slot.state;
          do {
            pool->ProcessAll();
          } while (!pool->GivesUp(slot));
        });
      }
    }

    static std::optional<Slot> TakeSlot(const std::shared_ptr<State>& state) {
      const MutexLock lock(state->mutex);
      if (state->stopping || state->free.empty()) return std::nullopt;
      const std::size_t number = state->free.back();
      state->free.pop_back();
      return Slot(state, number);
    }

    void ProcessAll() {
      while (!stopping) {
        auto work = queue.TryGet();
        if (!work) return;
        process(std::move(*work));
      }
    }

    /// Whether the worker is to end. It looks into the queue and gives its slot back in one: a key
    /// that comes later finds the slot free, and no key is left to a worker that has looked
    /// already.
    bool GivesUp(Slot& slot) {
      const MutexLock lock(mutex);
      if (!stopping && queue.waiting() > 0) return false;
      GiveBack(slot.number);
      slot.state = nullptr;
      return true;
    }

    void GiveBack(std::size_t number) FLYBALL_REQUIRES(mutex) {
      free.push_back(number);
      if (AllIdle()) all_idle.NotifyAll();
    }
    bool AllIdle() const FLYBALL_REQUIRES(mutex) { return free.size() == options.workers; }

    WorkQueue<Key>& queue;
    Executor& executor;
    const Options options;
    const Process process;
    CondVar all_idle;

    Mutex mutex;                                              // taken before the queue's
    std::vector<std::size_t> free FLYBALL_GUARDED_BY(mutex);  // slots
    std::atomic<bool> stopping = false;                       // set under mutex
  };

  const std::shared_ptr<State> state_;
};

// As with WorkQueue.
extern template class WorkerPool<api::ObjectKey>;
extern template class WorkerPool<std::string>;

}  // namespace flyball::queue

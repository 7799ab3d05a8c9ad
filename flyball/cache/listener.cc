#include "flyball/cache/listener.h"

#include <atomic>
#include <exception>
#include <functional>
#include <stop_token>
#include <utility>

#include "flyball/cache/failed_deltas.h"

namespace flyball::cache {
namespace {

/// A handler's exception is its own affair: the others go on, the log has it, and the handler is
/// called again. False if it threw.
bool Call(const DeltaHandler& handler, const Delta& delta, const std::string& name,
          const Logger& log) {
  try {
    handler(delta);
    return true;
  } catch (const std::exception& thrown) {
    log.Error("Observed a panic", {{"panic", thrown.what()}, {"handler", name}});
    return false;
  }
}

class InlineListener final : public Listener, public std::enable_shared_from_this<InlineListener> {
 public:
  InlineListener(std::string name, DeltaHandler handler, Deps deps)
      : name_(std::move(name)),
        handler_(std::move(handler)),
        deps_(std::move(deps)),
        failed_(deps_.accessor) {}

  void Notify(Delta delta) override {
    if (delta.kind == Delta::Kind::kInitialEnd) {
      if (!synced_.exchange(true)) deps_.on_synced();
      return;
    }
    MutexLock lock(mutex_);
    failed_.TryOrKeep(std::move(delta), Calling());
    RetryLater();
  }
  bool synced() const override { return synced_; }
  std::size_t behind() const override { return 0; }

  /// Whoever tells it has let go of it; what it still tries again is to end.
  void Stop() override {
    stop_.request_stop();
    MutexLock lock(mutex_);
    stopped_ = true;
  }

 private:
  /// For FailedDeltas.
  std::function<bool(const Delta& delta)> Calling() const {
    return [this](const Delta& delta) { return Call(handler_, delta, name_, deps_.log); };
  }

  void RetryLater() FLYBALL_REQUIRES(mutex_) {
    if (failed_.empty() || stopped_ || std::exchange(will_retry_, true)) return;
    deps_.executor.Start(name_ + "/retry", [self = shared_from_this(), pause = failed_.pause()] {
      self->deps_.executor.clock().SleepFor(pause, self->stop_.get_token());
      self->Retry();
    });
  }

  void Retry() {
    MutexLock lock(mutex_);
    will_retry_ = false;
    if (stopped_) return;
    failed_.TryAgain(Calling());
    RetryLater();
  }

  const std::string name_;
  const DeltaHandler handler_;
  const Deps deps_;
  std::stop_source stop_;
  // Held while the handler is called: by the thread that reads the changes, and by a retry. What is
  // called inline does not wait.
  Mutex mutex_;
  FailedDeltas failed_ FLYBALL_GUARDED_BY(mutex_);
  bool will_retry_ FLYBALL_GUARDED_BY(mutex_) = false;
  bool stopped_ FLYBALL_GUARDED_BY(mutex_) = false;
  std::atomic<bool> synced_ = false;
};

class AsyncListener final : public Listener,
                            public Dispatcher::Worker,
                            public std::enable_shared_from_this<AsyncListener> {
 public:
  AsyncListener(std::string name, DeltaHandler handler, Deps deps)
      : name_(std::move(name)),
        handler_(std::move(handler)),
        deps_(std::move(deps)),
        failed_(deps_.accessor),
        unread_(deps_.accessor) {}

  void Notify(Delta delta) override {
    {
      MutexLock lock(mutex_);
      if (stopped_) return;
      unread_.Push(std::move(delta));
      if (std::exchange(running_, true)) return;
    }
    deps_.dispatcher->Add(shared_from_this());
  }

  bool synced() const override { return synced_; }

  std::size_t behind() const override {
    MutexLock lock(mutex_);
    return unread_.size();
  }

  void Stop() override {
    stop_.request_stop();
    MutexLock lock(mutex_);
    stopped_ = true;
    unread_.Clear();
    deps_.executor.clock().Wait(lock, idle_,
                                [this]() FLYBALL_REQUIRES(mutex_) { return !running_; });
  }

  void Work() override {
    const auto call = [this](const Delta& delta) {
      return Call(handler_, delta, name_, deps_.log);
    };
    for (Todo todo = Next(); todo.retry || todo.delta; todo = Next()) {
      if (todo.retry) {
        failed_.TryAgain(call);
      } else if (todo.delta->kind != Delta::Kind::kInitialEnd) {
        failed_.TryOrKeep(*std::move(todo.delta), call);
      } else if (!synced_.exchange(true)) {
        deps_.on_synced();
      }
    }
    idle_.NotifyAll();
  }

 private:
  /// What to do next; nothing if there is neither.
  struct Todo {
    bool retry = false;
    std::optional<Delta> delta = std::nullopt;
  };

  Todo Next() {
    MutexLock lock(mutex_);
    RetryLater();
    Todo todo{.retry = std::exchange(retry_due_, false) && !stopped_};
    if (!todo.retry) todo.delta = unread_.Pop();
    running_ = todo.retry || todo.delta;
    return todo;
  }

  void RetryLater() FLYBALL_REQUIRES(mutex_) {
    if (failed_.empty() || stopped_ || std::exchange(will_retry_, true)) return;
    deps_.executor.Start(name_ + "/retry", [self = shared_from_this(), pause = failed_.pause()] {
      self->deps_.executor.clock().SleepFor(pause, self->stop_.get_token());
      self->Retry();
    });
  }

  void Retry() {
    {
      MutexLock lock(mutex_);
      will_retry_ = false;
      if (stopped_) return;
      retry_due_ = true;
      if (std::exchange(running_, true)) return;
    }
    deps_.dispatcher->Add(shared_from_this());
  }

  const std::string name_;
  const DeltaHandler handler_;
  const Deps deps_;
  std::stop_source stop_;
  FailedDeltas failed_;  // of whoever works
  mutable Mutex mutex_;
  CondVar idle_;
  DeltaQueue unread_ FLYBALL_GUARDED_BY(mutex_);
  bool running_ FLYBALL_GUARDED_BY(mutex_) = false;     // a task is at it
  bool retry_due_ FLYBALL_GUARDED_BY(mutex_) = false;   // what failed is to be tried again
  bool will_retry_ FLYBALL_GUARDED_BY(mutex_) = false;  // a task waits for the time of that
  bool stopped_ FLYBALL_GUARDED_BY(mutex_) = false;
  std::atomic<bool> synced_ = false;
};

}  // namespace

std::shared_ptr<Listener> Listener::Make(Delivery delivery, std::string name, DeltaHandler handler,
                                         Deps deps) {
  if (delivery == Delivery::kInline) {
    return std::make_shared<InlineListener>(std::move(name), std::move(handler), std::move(deps));
  }
  return std::make_shared<AsyncListener>(std::move(name), std::move(handler), std::move(deps));
}

}  // namespace flyball::cache

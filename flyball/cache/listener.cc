#include "flyball/cache/listener.h"

#include <atomic>
#include <exception>
#include <utility>

namespace flyball::cache {
namespace {

/// A handler's exception is its own affair: the others go on, and the log has it.
void Call(const DeltaHandler& handler, const Delta& delta, const std::string& name,
          const Logger& log) {
  try {
    handler(delta);
  } catch (const std::exception& thrown) {
    log.Error(std::string("A handler threw: ") + thrown.what(), {{"handler", name}});
  }
}

class QuickListener final : public Listener {
 public:
  QuickListener(std::string name, DeltaHandler handler, Deps deps)
      : name_(std::move(name)), handler_(std::move(handler)), deps_(std::move(deps)) {}

  void Tell(Delta delta) override {
    if (delta.kind != Delta::Kind::kInitialEnd) return Call(handler_, delta, name_, deps_.log);
    if (!synced_.exchange(true)) deps_.on_synced();
  }
  bool synced() const override { return synced_; }
  std::size_t behind() const override { return 0; }
  void Stop() override {}  // whoever tells it has let go of it

 private:
  const std::string name_;
  const DeltaHandler handler_;
  const Deps deps_;
  std::atomic<bool> synced_ = false;
};

class TaskListener final : public Listener,
                           public Dispatcher::Worker,
                           public std::enable_shared_from_this<TaskListener> {
 public:
  TaskListener(std::string name, DeltaHandler handler, Deps deps)
      : name_(std::move(name)),
        handler_(std::move(handler)),
        deps_(std::move(deps)),
        unread_(deps_.form) {}

  void Tell(Delta delta) override {
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
    MutexLock lock(mutex_);
    stopped_ = true;
    unread_.Clear();
    deps_.executor.clock().Wait(lock, idle_,
                                [this]() FLYBALL_REQUIRES(mutex_) { return !running_; });
  }

  void Work() override {
    while (const auto delta = Next()) {
      if (delta->kind != Delta::Kind::kInitialEnd) {
        Call(handler_, *delta, name_, deps_.log);
      } else if (!synced_.exchange(true)) {
        deps_.on_synced();
      }
    }
    idle_.NotifyAll();
  }

 private:
  std::optional<Delta> Next() {
    MutexLock lock(mutex_);
    auto delta = unread_.Pop();
    running_ = delta.has_value();
    return delta;
  }

  const std::string name_;
  const DeltaHandler handler_;
  const Deps deps_;
  mutable Mutex mutex_;
  CondVar idle_;
  DeltaQueue unread_ FLYBALL_GUARDED_BY(mutex_);
  bool running_ FLYBALL_GUARDED_BY(mutex_) = false;  // a task is at it
  bool stopped_ FLYBALL_GUARDED_BY(mutex_) = false;
  std::atomic<bool> synced_ = false;
};

}  // namespace

std::shared_ptr<Listener> Listener::Make(Delivery delivery, std::string name, DeltaHandler handler,
                                         Deps deps) {
  if (delivery == Delivery::kQuick) {
    return std::make_shared<QuickListener>(std::move(name), std::move(handler), std::move(deps));
  }
  return std::make_shared<TaskListener>(std::move(name), std::move(handler), std::move(deps));
}

}  // namespace flyball::cache

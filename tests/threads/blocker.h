#pragma once

#include <pthread.h>

#include <array>
#include <chrono>
#include <functional>
#include <latch>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>

#include "flyball/base/clock.h"
#include "flyball/base/log_sink.h"
#include "flyball/base/mutex.h"

namespace flyball::threads {

/// Long enough for a busy machine; whoever waits for this long waits in vain.
inline constexpr std::chrono::seconds kPatience{20};

/// The name of the network thread that a process has for watches and writes.
inline constexpr std::string_view kThreadOfWatches = "transport/netwo";

/// Blocks a thread, until it is released.
class Blocker {
 public:
  explicit Blocker(Clock& clock) : clock_(clock) {}
  Blocker(const Blocker&) = delete;
  Blocker& operator=(const Blocker&) = delete;
  ~Blocker() { Release(); }

  /// Blocks whoever calls it first, or first on a thread of this name; for others it does nothing.
  void Block(std::string_view only_on = {}) {
    std::array<char, 16> name{};
    pthread_getname_np(pthread_self(), name.data(), name.size());
    {
      const MutexLock lock(mutex_);
      if (!thread_.empty() || (!only_on.empty() && only_on != name.data())) return;
      thread_ = name.data();
      changed_.NotifyAll();
    }
    // Not by the clock, which refuses to wait for one who holds a mutex, as a cache's may.
    released_.wait();
  }
  /// Does something that should have the thread come here, again if it was another that came, and
  /// returns the name of the thread that is blocked; empty if none is.
  std::string BlockBy(const std::function<void()>& lure) {
    for (int i = 0; i < 10; ++i) {
      lure();
      MutexLock lock(mutex_);
      if (clock_.WaitUntil(lock, changed_, clock_.DeadlineAfter(kPatience / 10),
                           [this]() FLYBALL_REQUIRES(mutex_) { return !thread_.empty(); })) {
        return thread_;
      }
    }
    return "";
  }
  void Release() {
    if (!released_.try_wait()) released_.count_down();
  }

 private:
  Clock& clock_;
  std::latch released_{1};
  Mutex mutex_;
  CondVar changed_;
  std::string thread_ FLYBALL_GUARDED_BY(mutex_);
};

/// A log in which a line can be waited for, and whose writing can block whoever writes a certain
/// line: so a thread of a whole process is blocked from outside.
class BlockingLogSink final : public LogSink {
 public:
  explicit BlockingLogSink(Clock& clock) : clock_(clock) {}

  void Write(std::string_view line) noexcept override {
    Blocker* blocker = nullptr;
    std::string_view thread;
    {
      const MutexLock lock(mutex_);
      text_ += line;
      changed_.NotifyAll();
      if (!at_.empty() && line.contains(at_)) {
        blocker = blocker_;
        thread = thread_;
      }
    }
    if (blocker != nullptr) blocker->Block(thread);
  }
  std::string text() {
    const MutexLock lock(mutex_);
    return text_;
  }
  /// `thread` is a constant.
  void BlockAt(std::string_view text, Blocker& blocker, std::string_view thread = {}) {
    const MutexLock lock(mutex_);
    at_ = text;
    thread_ = thread;
    blocker_ = &blocker;
  }
  /// What follows a text in the log, up to a quotation mark; nothing if it does not come in time.
  std::string AwaitAfter(std::string_view text) {
    MutexLock lock(mutex_);
    std::size_t at = std::string::npos;
    std::ignore = clock_.WaitUntil(lock, changed_, clock_.DeadlineAfter(kPatience),
                                   [&]() FLYBALL_REQUIRES(mutex_) {
                                     at = text_.find(text);
                                     return at != std::string::npos;
                                   });
    if (at == std::string::npos) return "";
    at += text.size();
    return text_.substr(at, text_.find('"', at) - at);
  }

 private:
  Clock& clock_;
  Mutex mutex_;
  CondVar changed_;
  std::string text_ FLYBALL_GUARDED_BY(mutex_);
  std::string at_ FLYBALL_GUARDED_BY(mutex_);  // empty: nowhere
  std::string_view thread_ FLYBALL_GUARDED_BY(mutex_);
  Blocker* blocker_ FLYBALL_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace flyball::threads

#include "flyball/base/termination_signals.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>
#include <utility>

#include "flyball/base/check.h"
#include "flyball/base/mutex.h"

namespace flyball {
namespace {

sigset_t HeldBack() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

}  // namespace

/// Shared with its task, which may still be on its way out when the owner goes.
class TerminationSignals::Watcher {
 public:
  Watcher() {
    const sigset_t signals = HeldBack();
    FLYBALL_CHECK(pthread_sigmask(SIG_BLOCK, &signals, nullptr) == 0, "cannot hold back signals");
    signals_ = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
    end_ = eventfd(0, EFD_CLOEXEC);
    FLYBALL_CHECK(signals_ >= 0 && end_ >= 0, "no file descriptors are left");
  }
  ~Watcher() {
    close(signals_);
    close(end_);
  }
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  void Run(const std::function<void(int signal)>& asked) {
    for (bool first = true;; first = false) {
      const int signal = Next();
      if (signal == 0) return;
      if (!first) _exit(1);
      const MutexLock lock(mutex_);
      if (!ended_) asked(signal);
    }
  }

  /// Returns when `asked` is not being called, and will not be.
  void End() {
    const MutexLock lock(mutex_);
    ended_ = true;
    const std::uint64_t one = 1;
    FLYBALL_CHECK(write(end_, &one, sizeof(one)) == sizeof(one), "cannot tell the watcher");
  }

 private:
  /// Zero: it is over.
  int Next() const {
    while (true) {
      pollfd waits[] = {{signals_, POLLIN, 0}, {end_, POLLIN, 0}};
      if (poll(waits, 2, -1) < 0) continue;  // by another signal
      if (waits[1].revents != 0) return 0;
      signalfd_siginfo info;
      if (read(signals_, &info, sizeof(info)) == sizeof(info))
        return static_cast<int>(info.ssi_signo);
    }
  }

  int signals_ = -1;
  int end_ = -1;
  Mutex mutex_;
  bool ended_ FLYBALL_GUARDED_BY(mutex_) = false;
};

TerminationSignals::TerminationSignals() : watcher_(std::make_shared<Watcher>()) {}
TerminationSignals::~TerminationSignals() { watcher_->End(); }

void TerminationSignals::Watch(Executor& executor, std::function<void(int signal)> asked) {
  executor.Start("termination signals",
                 [watcher = watcher_, asked = std::move(asked)] { watcher->Run(asked); });
}

}  // namespace flyball

#include "flyball/base/log_sink.h"

#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>

namespace flyball {
namespace {

/// Keeps a SIGPIPE that our own write raises from the process, whatever it does with that signal
/// otherwise: the signal goes to the writing thread, which blocks it and takes it off again.
class SigpipeGuard {
 public:
  SigpipeGuard() {
    sigemptyset(&sigpipe_);
    sigaddset(&sigpipe_, SIGPIPE);
    sigset_t pending;
    sigemptyset(&pending);
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &sigpipe_, &before_);
  }
  ~SigpipeGuard() {
    if (raised_ && !was_pending_) {
      constexpr timespec kAtOnce{};
      while (sigtimedwait(&sigpipe_, nullptr, &kAtOnce) == -1 && errno == EINTR) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  SigpipeGuard(const SigpipeGuard&) = delete;
  SigpipeGuard& operator=(const SigpipeGuard&) = delete;

  void SetRaised() { raised_ = true; }

 private:
  sigset_t sigpipe_;
  sigset_t before_;
  bool was_pending_ = false;
  bool raised_ = false;
};

/// What one write() may carry without blocking once poll() has said that there is room.
std::size_t LongestWrite(int fd) {
  struct stat status{};
  const bool file = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
  return file ? SSIZE_MAX : PIPE_BUF;
}

/// False if a write would wait. One that would fail may go ahead and do so.
bool WouldNotBlock(int fd) {
  pollfd polled{fd, POLLOUT, 0};
  int ready;
  do {
    ready = poll(&polled, 1, 0);
  } while (ready == -1 && errno == EINTR);
  return ready == 1;
}

}  // namespace

FdLogSink::FdLogSink(int fd) : fd_(fd), longest_write_(LongestWrite(fd)) {}

void FdLogSink::Write(std::string_view line) noexcept {
  const int caller_errno = errno;
  {
    const std::lock_guard guard(mutex_);
    if (inside_line_ && WriteWhatGoes("\n") == 1) inside_line_ = false;
    const std::size_t written = inside_line_ ? 0 : WriteWhatGoes(line);
    if (written < line.size()) dropped_.fetch_add(1, std::memory_order_relaxed);
    inside_line_ = inside_line_ || (written > 0 && written < line.size());
  }
  errno = caller_errno;
}

std::size_t FdLogSink::WriteWhatGoes(std::string_view text) noexcept {
  SigpipeGuard sigpipe;
  std::size_t written = 0;
  while (written < text.size() && WouldNotBlock(fd_)) {
    const std::size_t size = std::min(text.size() - written, longest_write_);
    const ssize_t result = write(fd_, text.data() + written, size);
    if (result > 0) {
      written += static_cast<std::size_t>(result);
    } else if (result == -1 && errno == EINTR) {
      continue;
    } else {
      if (errno == EPIPE) sigpipe.SetRaised();
      break;
    }
  }
  return written;
}

void StringLogSink::Write(std::string_view line) noexcept {
  const std::lock_guard guard(mutex_);
  text_.append(line);
}

std::string StringLogSink::text() const {
  const std::lock_guard guard(mutex_);
  return text_;
}

void StringLogSink::Clear() {
  const std::lock_guard guard(mutex_);
  text_.clear();
}

}  // namespace flyball

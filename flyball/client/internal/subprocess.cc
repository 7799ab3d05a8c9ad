#include "flyball/client/internal/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <ranges>
#include <string_view>
#include <system_error>
#include <utility>

namespace flyball::client {
namespace {

constexpr std::size_t kMaxComplaints = 16 << 10;
/// How long to look at the pipes before asking the clock, which may be a test's, for the time.
constexpr int kTurnMilliseconds = 20;

std::unexpected<Error> SystemFailure(const std::string& what, int error) {
  return Fail(ErrorCode::kIo, what + ": " + std::generic_category().message(error));
}

/// Where a command is. Our own search: posix_spawnp() says "permission denied" of a command that is
/// nowhere, if a folder of PATH is closed to us, and takes what lies in the working folder.
Result<std::string> FindCommand(const std::string& command) {
  if (command.find('/') != std::string::npos) return command;
  const char* const path = std::getenv("PATH");
  for (const auto part : std::views::split(std::string_view(path == nullptr ? "" : path), ':')) {
    std::string file = std::string(part.begin(), part.end()) + "/" + command;
    struct stat found{};
    const bool runs = file.front() == '/' && stat(file.c_str(), &found) == 0 &&
                      S_ISREG(found.st_mode) && access(file.c_str(), X_OK) == 0;
    if (runs && !command.empty()) return file;
  }
  return Fail(ErrorCode::kNotFound, "not found in PATH");
}

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { Close(); }
  void Close() {
    if (fd_ >= 0) close(std::exchange(fd_, -1));
  }
  int get() const { return fd_; }

 private:
  int fd_ = -1;
};

struct Pipe {
  Descriptor read;
  Descriptor write;
};

Result<Pipe> MakePipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return SystemFailure("pipe", errno);
  Pipe pipe{Descriptor(ends[0]), Descriptor(ends[1])};
  fcntl(pipe.read.get(), F_SETFL, O_NONBLOCK);
  return pipe;
}

/// What posix_spawn() is told.
class SpawnSettings {
 public:
  SpawnSettings() {
    posix_spawn_file_actions_init(&files_);
    posix_spawnattr_init(&attributes_);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  void Connect(int from, int to) { posix_spawn_file_actions_adddup2(&files_, from, to); }
  void StdinFromNowhere() {
    posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  }
  /// Signals as a fresh program expects them; on request a process group, to be killed as one.
  void SetAttributes(bool own_group) {
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setpgroup(&attributes_, 0);
    const int group = own_group ? POSIX_SPAWN_SETPGROUP : 0;
    posix_spawnattr_setflags(
        &attributes_, static_cast<short>(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | group));
  }

  Result<pid_t> Spawn(const Subprocess& subprocess) const {
    FLYBALL_TRY(const std::string file, FindCommand(subprocess.arguments[0]));
    pid_t pid = 0;
    const int failed =
        posix_spawn(&pid, file.c_str(), &files_, &attributes_,
                    Pointers(subprocess.arguments).data(), Pointers(subprocess.environment).data());
    if (failed == 0) return pid;
    return Fail(failed == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
                std::generic_category().message(failed));
  }

 private:
  static std::vector<char*> Pointers(const std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    // posix_spawn() takes them without const for old times' sake, and changes nothing.
    for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
    pointers.push_back(nullptr);
    return pointers;
  }

  posix_spawn_file_actions_t files_;
  posix_spawnattr_t attributes_;
};

/// A child that is reaped whatever happens, and not left running.
class Child {
 public:
  Child(pid_t pid, bool own_group)
      // glibc 2.36 has a pidfd_open() too, but declares it for C only.
      : pid_(pid),
        own_group_(own_group),
        exited_(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))) {}
  ~Child() {
    if (reaped_) return;
    kill(own_group_ ? -pid_ : pid_, SIGKILL);
    Reap();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Becomes readable when the child has exited.
  int exited() const { return exited_.get(); }

  int Reap() {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    reaped_ = true;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

 private:
  const pid_t pid_;
  const bool own_group_;
  const Descriptor exited_;
  bool reaped_ = false;
};

/// Takes what is in the pipe now; closes it at its end.
void Drain(Descriptor& pipe, std::string& into) {
  std::array<char, 16384> buffer;
  while (pipe.get() >= 0) {
    const ssize_t got = read(pipe.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) return pipe.Close();
    into.append(buffer.data(), static_cast<std::size_t>(got));
    if (got < static_cast<ssize_t>(buffer.size())) return;
  }
}

Result<SubprocessResult> Attend(Child& child, Pipe& output, Pipe& complaints,
                                const Subprocess& subprocess, const Clock& clock,
                                SteadyTime deadline) {
  SubprocessResult result;
  while (true) {
    std::array<pollfd, 3> ready = {{{.fd = output.read.get(), .events = POLLIN, .revents = 0},
                                    {.fd = complaints.read.get(), .events = POLLIN, .revents = 0},
                                    {.fd = child.exited(), .events = POLLIN, .revents = 0}}};
    poll(ready.data(), ready.size(), kTurnMilliseconds);
    Drain(output.read, result.output);
    Drain(complaints.read, result.complaints);
    if (result.complaints.size() > kMaxComplaints) {
      result.complaints.erase(0, result.complaints.size() - kMaxComplaints);
    }
    if (result.output.size() > subprocess.max_output) {
      return Fail(ErrorCode::kTooLarge,
                  "wrote more than " + std::to_string(subprocess.max_output) + " bytes");
    }
    // When it has exited, not when its pipes are closed: what it leaves running may hold them.
    if ((ready[2].revents & POLLIN) != 0 && (ready[0].revents & POLLIN) == 0) {
      result.exit_code = child.Reap();
      return result;
    }
    if (clock.SteadyNow() >= deadline) {
      return Fail(ErrorCode::kTimeout, "did not exit within its timeout and was killed");
    }
  }
}

}  // namespace

Result<SubprocessResult> RunSubprocess(const Subprocess& subprocess, const Clock& clock) {
  // From before it runs: what it does may be what moves the clock.
  const SteadyTime deadline = clock.DeadlineAfter(subprocess.timeout);
  FLYBALL_TRY(Pipe output, MakePipe());
  FLYBALL_TRY(Pipe complaints, MakePipe());
  SpawnSettings settings;
  settings.Connect(output.write.get(), STDOUT_FILENO);
  if (!subprocess.interactive) {
    settings.StdinFromNowhere();
    settings.Connect(complaints.write.get(), STDERR_FILENO);
  }
  // In a group of its own it could not read from the terminal.
  settings.SetAttributes(!subprocess.interactive);
  FLYBALL_TRY(const pid_t pid, settings.Spawn(subprocess));
  Child child(pid, !subprocess.interactive);
  output.write.Close();
  complaints.write.Close();
  return Attend(child, output, complaints, subprocess, clock, deadline);
}

}  // namespace flyball::client

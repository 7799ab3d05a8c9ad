#include "tests/cluster/process.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "flyball/base/check.h"
#include "tests/cluster/file_descriptor.h"

namespace flyball::cluster {
namespace {

/// What the child needs, made before the fork: after it, other threads' locks (the allocator's, for
/// one) are held for ever, so only system calls are left.
struct Launch {
  char* const* arguments;
  pid_t parent;
  int input, output;
  int report;  ///< gets errno if the program cannot be run; closed if it can
};

[[noreturn]] void RunChild(const Launch& launch) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != launch.parent) _exit(127);  // it died before we asked to be told
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  dup2(launch.input, STDIN_FILENO);
  dup2(launch.output, STDOUT_FILENO);
  dup2(launch.output, STDERR_FILENO);
  close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  execv(launch.arguments[0], launch.arguments);
  const int why = errno;
  [[maybe_unused]] const ssize_t written = write(launch.report, &why, sizeof(why));
  _exit(127);
}

std::unexpected<Error> FailWithErrno(const std::string& what, int why = errno) {
  return Fail(ErrorCode::kIo, what + ": " + std::strerror(why));
}

}  // namespace

Result<Process> Process::Start(const std::filesystem::path& program,
                               const std::vector<std::string>& arguments,
                               const std::filesystem::path& log) {
  FLYBALL_CHECK(gettid() == getpid(), "a process that another thread starts would die with it");
  std::vector<std::string> texts = {program.string()};
  texts.insert(texts.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);

  const FileDescriptor input(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const FileDescriptor output(
      open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!output) return FailWithErrno(log.string());
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return FailWithErrno("pipe");
  const FileDescriptor report(ends[0]);
  FileDescriptor childs_report(ends[1]);

  const Launch launch{pointers.data(), getpid(), input.get(), output.get(), childs_report.get()};
  const pid_t pid = fork();
  if (pid < 0) return FailWithErrno("fork");
  if (pid == 0) RunChild(launch);

  Process process(pid);
  childs_report = FileDescriptor();
  int why = 0;
  if (read(report.get(), &why, sizeof(why)) == sizeof(why)) {
    return FailWithErrno(program.string(), why);
  }
  return process;
}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)), running_(other.running_), status_(other.status_) {}

Process& Process::operator=(Process&& other) noexcept {
  if (this == &other) return *this;
  Kill();
  pid_ = std::exchange(other.pid_, 0);
  running_ = other.running_;
  status_ = other.status_;
  return *this;
}

Process::~Process() { Kill(); }

bool Process::Running() {
  if (pid_ == 0 || !running_) return false;
  siginfo_t ended = {};
  const int found = waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT);
  if (found == 0 && ended.si_pid == pid_) EndGroup();
  return running_;
}

std::string Process::Describe() {
  if (Running()) return "runs";
  if (WIFSIGNALED(status_)) return "was ended by signal " + std::to_string(WTERMSIG(status_));
  return "ended with status " + std::to_string(WEXITSTATUS(status_));
}

bool Process::Stop(Clock& clock, std::chrono::nanoseconds patience) {
  if (!Running()) return true;
  kill(pid_, SIGTERM);
  const SteadyTime deadline = clock.SteadyNow() + patience;
  while (Running()) {
    if (clock.SteadyNow() >= deadline) {
      Kill();
      return false;
    }
    clock.SleepFor(std::chrono::milliseconds(5));
  }
  return true;
}

void Process::Kill() {
  if (Running()) EndGroup();
}

void Process::EndGroup() {
  kill(-pid_, SIGKILL);
  while (waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
  }
  running_ = false;
}

}  // namespace flyball::cluster

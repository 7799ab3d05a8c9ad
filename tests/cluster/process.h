#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "flyball/base/clock.h"
#include "flyball/base/result.h"

namespace flyball::cluster {

/// A program that runs beside a test, and never longer: it is killed when this is destroyed, and by
/// the kernel when the test dies, however it dies. It is a process group of its own, so that we
/// also end what it has started, and has no file of ours open.
///
/// The kernel ties it to the thread that started it, so that must be the main one; the other calls
/// are for one thread at a time.
class Process {
 public:
  /// What the program prints goes to the end of `log`.
  static Result<Process> Start(const std::filesystem::path& program,
                               const std::vector<std::string>& arguments,
                               const std::filesystem::path& log);
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;
  ~Process();

  pid_t pid() const { return pid_; }
  bool Running();
  /// "ended with status 1", "was ended by signal 9", "runs".
  std::string Describe();

  /// Asks it to end, waits, and kills it when the time is up. Says whether it ended by itself.
  bool Stop(Clock& clock, std::chrono::nanoseconds patience);
  /// Ends it in the middle of whatever it does. It is gone when this returns.
  void Kill();

 private:
  explicit Process(pid_t pid) : pid_(pid) {}
  /// Kills whoever is left of the group, and only then lets go of the number that names it.
  void EndGroup();

  pid_t pid_ = 0;  ///< 0: moved away
  bool running_ = true;
  int status_ = 0;  ///< as waitpid() has it, when it runs no more
};

}  // namespace flyball::cluster

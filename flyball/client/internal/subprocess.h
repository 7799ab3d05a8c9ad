#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "flyball/base/clock.h"
#include "flyball/base/result.h"

namespace flyball::client {

struct Subprocess {
  std::vector<std::string> arguments;    ///< the first is the command: a path, or a name in PATH
  std::vector<std::string> environment;  ///< "NAME=value"
  /// Whether it may talk with the person at the terminal: it gets our standard input and error.
  bool interactive = false;
  std::chrono::nanoseconds timeout = std::chrono::minutes(1);
  std::size_t max_output = 1U << 20;
};

struct SubprocessResult {
  int exit_code = 0;  ///< 128 and the signal's number if one ended it, as shells have it
  std::string output;
  /// What it wrote to standard error: the last of it, if that was much. Empty if interactive.
  std::string complaints;
};

/// Runs a command to its end and reaps it; one that takes too long or writes too much is killed,
/// with all that it started. kNotFound if there is no such command. Blocks; any thread.
Result<SubprocessResult> RunSubprocess(const Subprocess& subprocess, const Clock& clock);

}  // namespace flyball::client

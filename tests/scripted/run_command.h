#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

namespace flyball::scripted {

/// Runs a program, with its arguments and a null behind them, and waits for it. Its exit status; 1
/// if a signal ended it, 127 if there is no such program.
inline int RunCommand(char* const* command) {
  const pid_t child = fork();
  if (child == 0) {
    execvp(command[0], command);
    std::perror(command[0]);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace flyball::scripted

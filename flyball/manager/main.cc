#include <sys/ioctl.h>
#include <unistd.h>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "flyball/base/clock.h"
#include "flyball/base/heap_trim.h"
#include "flyball/base/log_sink.h"
#include "flyball/manager/command.h"
#include "flyball/manager/run.h"

namespace {

int TerminalColumns() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace

int main(int argc, char** argv) {
  flyball::ShareOneHeap();
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const flyball::RealClock clock;
  const int status = flyball::manager::RunCommand(
      arguments, {.out = std::cout,
                  .err = std::cerr,
                  .log = std::make_shared<flyball::FdLogSink>(STDERR_FILENO),
                  .clock = clock,
                  .columns = TerminalColumns(),
                  .run = flyball::manager::Run});
  // Threads that the manager had to give up on may be at anything: nothing is taken down under
  // them.
  std::cout.flush();
  _exit(status);
}

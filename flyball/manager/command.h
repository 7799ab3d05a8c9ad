#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>

#include "flyball/base/clock.h"
#include "flyball/base/log_sink.h"
#include "flyball/base/logging.h"
#include "flyball/base/result.h"
#include "flyball/manager/flags/flag_set.h"
#include "flyball/manager/options.h"

namespace flyball::manager {

/// The streams, log, clock and terminal that the command uses.
struct ProcessEnvironment {
  std::ostream& out;
  std::ostream& err;
  std::shared_ptr<LogSink> log;
  const Clock& clock;
  int columns = 0;  ///< of the terminal; 0: it is none
  std::function<Result<>(const Options&, const flags::FlagSet&, const Logger&)> run;
};

/// `kube-controller-manager ARGUMENTS...`, start to finish, in upstream's order: flags, --help,
/// arguments that are none, feature gates, --version, the log, all other options, and then `run`.
/// What goes wrong before the log is there is printed, what goes wrong later is logged. Returns the
/// status to exit with.
int RunCommand(std::span<const std::string> arguments, const ProcessEnvironment& environment);

}  // namespace flyball::manager

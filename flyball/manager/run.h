#pragma once

#include "flyball/base/logging.h"
#include "flyball/base/result.h"
#include "flyball/manager/flags/flag_set.h"
#include "flyball/manager/options.h"

namespace flyball::manager {

/// Runs the manager with options that have been checked, until it is told to stop or cannot go on.
/// The flags are there for /flagz.
Result<> Run(const Options& options, const flags::FlagSet& flags, const Logger& log);

}  // namespace flyball::manager

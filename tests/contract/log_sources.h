#pragma once

#include <string>
#include <vector>

#include "flyball/base/log_format.h"
#include "flyball/base/result.h"

/// What makes the product log its messages, all of it in virtual time but command lines.
namespace flyball::contract {

using LogLines = std::vector<std::string>;  ///< each with its line break

/// `source`: a scenario of tests/parity/scenarios or of scenarios/ here, by its name, or
///   election   candidates that win, wait, lose and give back their lease
///   runner     controllers that end with their leadership, and on a word
///   start      a manager that waits for its server, and one that is set up wrongly
///   command    command lines
Result<LogLines> LogOf(const std::string& source, LogFormat format);

}  // namespace flyball::contract

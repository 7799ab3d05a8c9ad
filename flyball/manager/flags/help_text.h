#pragma once

#include <string>

#include "flyball/manager/flags/flag_set.h"

namespace flyball::manager::flags {

/// The flags of --help, section by section and by name in each, for a terminal that is `columns`
/// wide. For what is no terminal (0) every flag has one line, with the usages in a column.
std::string HelpText(const FlagSet& flags, int columns);

}  // namespace flyball::manager::flags

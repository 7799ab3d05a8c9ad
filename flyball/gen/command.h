#pragma once

#include <string>
#include <vector>

#include "flyball/base/result.h"

namespace flyball::gen {

/// `flyball gen api --schema DIR --out DIR`: reads every *.schema file of a folder and writes C++.
/// `--list` prints the paths it would write, relative to the output folder, and writes nothing.
/// A file whose text has not changed is not touched, so that a build after it stays small.
Result<> RunCommand(const std::vector<std::string>& arguments);

}  // namespace flyball::gen

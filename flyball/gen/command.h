#pragma once

#include <string>
#include <vector>

#include "flyball/base/result.h"

namespace flyball::gen {

/// `flyball gen api --schema DIR [--views FILE] [--registry] --out DIR`: reads every *.schema file
/// of a folder, and the views declared over them, and writes C++; with the registry, also the list
/// of all kinds. A file whose text has not changed is not touched, so that a build after it stays
/// small.
Result<> RunCommand(const std::vector<std::string>& arguments);

}  // namespace flyball::gen

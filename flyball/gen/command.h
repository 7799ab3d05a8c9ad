#pragma once

#include <string>
#include <vector>

#include "flyball/base/result.h"

namespace flyball::gen {

/// `flyball gen api --schema DIR [--views FILE] [--registry] --out DIR`: reads every *.schema file
/// of a folder, and the views declared over them, and writes C++; with the registry, also the list
/// of all kinds.
Result<> RunCommand(const std::vector<std::string>& arguments);

}  // namespace flyball::gen

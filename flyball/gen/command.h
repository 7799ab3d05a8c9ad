#pragma once

#include <string>
#include <vector>

#include "flyball/base/result.h"

namespace flyball::gen {

/// `flyball gen api --schema DIR [--views FILE] --out DIR`: reads every *.schema file of a folder,
/// and the views declared over them, and writes C++.
/// A file whose text has not changed is not touched, so that a build after it stays small.
Result<> RunCommand(const std::vector<std::string>& arguments);

}  // namespace flyball::gen

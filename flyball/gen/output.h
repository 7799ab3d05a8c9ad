#pragma once

#include <string>
#include <vector>

#include "flyball/base/result.h"
#include "flyball/gen/generate.h"

/// The files that the generator reads and writes.
namespace flyball::gen {

Result<std::string> ReadFile(const std::string& path);

/// Writes files below a folder. One whose text has not changed is not touched, so that a build
/// after it stays small.
Result<> WriteFiles(const std::string& folder, const std::vector<OutputFile>& files);

}  // namespace flyball::gen

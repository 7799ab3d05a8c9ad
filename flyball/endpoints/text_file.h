#pragma once

#include <filesystem>
#include <string>

#include "flyball/base/result.h"

namespace flyball::endpoints {

Result<std::string> ReadTextFile(const std::filesystem::path& path);

/// Makes the folders that are missing. `secret`: nobody else may read it.
Result<> WriteTextFile(const std::filesystem::path& path, const std::string& text, bool secret);

}  // namespace flyball::endpoints

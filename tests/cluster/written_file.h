#pragma once

#include <filesystem>
#include <fstream>
#include <string_view>

#include "flyball/base/result.h"

namespace flyball::cluster {

inline Result<> WriteFile(const std::filesystem::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) return Fail(ErrorCode::kIo, path.string() + ": cannot be written");
  return {};
}

}  // namespace flyball::cluster

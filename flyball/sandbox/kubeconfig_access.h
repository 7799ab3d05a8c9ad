#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "flyball/base/result.h"

namespace flyball::sandbox {

/// What a program outside needs to get in.
struct Access {
  std::string url = {};            ///< "https://127.0.0.1:41234"
  std::string authority_pem = {};  ///< whom to trust; empty: whom the machine trusts
  std::string token = {};

  /// For kubectl and all who read the same files.
  std::string Kubeconfig() const;
  Result<> WriteKubeconfig(const std::filesystem::path& file) const;
};

/// Writes a file that nobody else may read. It is there whole or not at all.
Result<> WritePrivateFile(const std::filesystem::path& file, std::string_view text);

}  // namespace flyball::sandbox

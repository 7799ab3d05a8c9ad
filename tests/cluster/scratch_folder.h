#pragma once

#include <filesystem>

#include "flyball/base/result.h"
#include "tests/cluster/file_descriptor.h"

namespace flyball::cluster {

/// A folder of our own under the system's for temporary files, removed with all that is in it when
/// this is destroyed. What a test that was killed left behind, the next one to make a folder
/// removes: a folder in use is locked, and the kernel drops a dead process's locks.
class ScratchFolder {
 public:
  static Result<ScratchFolder> Make();
  ScratchFolder(ScratchFolder&&) noexcept = default;
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  ScratchFolder(std::filesystem::path path, FileDescriptor lock)
      : path_(std::move(path)), lock_(std::move(lock)) {}

  std::filesystem::path path_;
  FileDescriptor lock_;
};

}  // namespace flyball::cluster

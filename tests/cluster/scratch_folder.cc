#include "tests/cluster/scratch_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>

namespace flyball::cluster {
namespace {

constexpr std::string_view kPrefix = "flyball-cluster-";

/// Nothing if another process has it locked, or it is gone by the time that we have it.
FileDescriptor Lock(const std::filesystem::path& folder) {
  FileDescriptor lock(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat facts = {};
  if (!lock || flock(lock.get(), LOCK_EX | LOCK_NB) != 0 || fstat(lock.get(), &facts) != 0 ||
      facts.st_nlink == 0) {
    return {};
  }
  return lock;
}

/// Failures are no matter of ours: other people's folders are among them.
void RemoveAbandoned(const std::filesystem::path& where) {
  std::error_code ignored;
  for (std::filesystem::directory_iterator entry(where, ignored), end; entry != end;
       entry.increment(ignored)) {
    if (!entry->path().filename().string().starts_with(kPrefix)) continue;
    if (const FileDescriptor lock = Lock(entry->path())) {
      std::filesystem::remove_all(entry->path(), ignored);
    }
  }
}

}  // namespace

Result<ScratchFolder> ScratchFolder::Make() {
  std::error_code failed;
  const std::filesystem::path where = std::filesystem::temp_directory_path(failed);
  if (failed) return Fail(ErrorCode::kIo, "no folder for temporary files: " + failed.message());
  RemoveAbandoned(where);
  for (int attempt = 0; attempt < 10; ++attempt) {
    std::string name = (where / kPrefix).string() + "XXXXXX";
    if (mkdtemp(name.data()) == nullptr) {
      return Fail(ErrorCode::kIo, name + ": " + std::strerror(errno));
    }
    // Another process may have taken it for abandoned before it was locked.
    if (FileDescriptor lock = Lock(name)) return ScratchFolder(name, std::move(lock));
  }
  return Fail(ErrorCode::kIo, where.string() + ": folders there cannot be locked");
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (lock_) std::filesystem::remove_all(path_, ignored);
}

}  // namespace flyball::cluster

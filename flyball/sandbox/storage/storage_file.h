#pragma once

#include <memory>
#include <span>
#include <string>

#include "flyball/base/result.h"
#include "flyball/sandbox/storage/collections.h"
#include "flyball/sandbox/storage/entry.h"
#include "flyball/sandbox/storage/sqlite.h"
#include "flyball/sandbox/storage/storage.h"

namespace flyball::sandbox {

/// The versions that the collections have, in a file: `storage.db` in the storage's folder, and
/// its write-ahead log beside it. One row a version, as long as a history needs it; how far each
/// collection is compacted; and the newest revision, which outlives the rows.
///
/// The file is open in one process at a time, which the file's own lock sees to. Not thread-safe.
class StorageFile {
 public:
  /// See Storage::Open().
  static Result<std::unique_ptr<StorageFile>> Open(const Storage::Options& options);

  /// Reads it all. What the file has beyond what is to be kept is added to `forgotten`.
  Result<void> Load(const Storage::Restore& restore, Collections& into, Forgotten& forgotten);

  /// All of it or, if it fails, nothing.
  Result<void> Commit(std::span<const Change> changes, const Forgotten& forgotten);

 private:
  StorageFile(std::string file, Database database, Statement insert, Statement remove,
              Statement compact, Statement advance);

  Result<void> Write(std::span<const Change> changes, const Forgotten& forgotten);

  const std::string file_;  // its path, for errors
  Database database_;
  Statement insert_;
  Statement remove_;
  Statement compact_;
  Statement advance_;
};

}  // namespace flyball::sandbox

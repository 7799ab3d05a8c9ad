#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "flyball/base/clock.h"
#include "flyball/base/executor.h"
#include "flyball/base/logging.h"
#include "flyball/base/mutex.h"
#include "flyball/sandbox/storage/collections.h"
#include "flyball/sandbox/storage/entry.h"
#include "flyball/sandbox/storage/storage.h"
#include "flyball/sandbox/storage/storage_file.h"

namespace flyball::sandbox {

/// Decides which writes are taken and in which order, has them kept, and then seen.
///
/// In memory all of that is done at once. With a file, a write that is taken is pending: it counts
/// for the writes after it, and is not seen. One task takes all that is pending, commits it in one
/// transaction, and goes on until there is nothing; so the more there is to do, the less each write
/// costs, and with nothing to do there is no thread. If a commit fails, all that is pending fails
/// with it, for it may rest on what was not kept. A write that is refused because of one that is
/// not seen yet is told so when that one is: who asks again then finds what it was refused for.
///
/// Any thread; shared with the task, which may come to run after Close().
class Writer : public std::enable_shared_from_this<Writer> {
 public:
  /// In memory if `file` is null. `forgotten` is what the file has and nobody needs.
  Writer(Executor& executor, std::shared_ptr<Collections> collections,
         std::unique_ptr<StorageFile> file, Forgotten forgotten, Logger logger);

  void Write(StorageKey key, Revision expected, bool remove, const Storage::Make& make,
             Storage::Done done) FLYBALL_EXCLUDES(mutex_);
  void Compact(const std::string& collection, Revision up_to) FLYBALL_EXCLUDES(mutex_);

  /// Ends all writes and closes the file. Nothing is written after this.
  void Close() FLYBALL_EXCLUDES(mutex_);

 private:
  /// Told when what it was refused for has been committed.
  struct Refused {
    Storage::Done done;
    Error error;
  };
  /// What is committed in one go. Each change has its Done.
  struct Batch {
    std::vector<Change> changes;
    std::vector<Storage::Done> done;
    std::vector<Refused> refused;
    bool empty() const { return changes.empty() && refused.empty(); }
  };
  /// What a write finds of its object.
  struct Head {
    KeyPtr key;
    Revision revision = 0;
    bool there = false;
  };
  struct KeyHash {
    std::size_t operator()(const StorageKey& key) const;
  };
  class CommitScope;

  Head HeadOf(const StorageKey& key) const FLYBALL_REQUIRES(mutex_);
  void CommitAll() FLYBALL_EXCLUDES(mutex_);
  void CommitBatch(Batch batch, const Forgotten& forgotten) FLYBALL_EXCLUDES(mutex_);
  void FailAll(Batch batch, const Forgotten& forgotten, const Error& error)
      FLYBALL_EXCLUDES(mutex_);
  void Forget(const Forgotten& forgotten) FLYBALL_REQUIRES(mutex_);

  Executor& executor_;
  const std::shared_ptr<Collections> collections_;
  const Logger logger_;
  std::unique_ptr<StorageFile> file_;  // touched by the CommitScope's task alone

  Mutex mutex_;  // taken before the collections'
  CondVar commit_ended_;
  Revision newest_ FLYBALL_GUARDED_BY(mutex_);
  Batch pending_ FLYBALL_GUARDED_BY(mutex_);
  /// The newest write to each object that is not seen yet, be it pending or being committed.
  std::unordered_map<StorageKey, Head, KeyHash> heads_ FLYBALL_GUARDED_BY(mutex_);
  Forgotten forgotten_ FLYBALL_GUARDED_BY(mutex_);        // goes with the next commit
  bool task_started_ FLYBALL_GUARDED_BY(mutex_) = false;  // and will see what is pending
  bool committing_ FLYBALL_GUARDED_BY(mutex_) = false;    // somebody commits
};

}  // namespace flyball::sandbox

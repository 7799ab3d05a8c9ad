#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flyball/base/executor.h"
#include "flyball/base/logging.h"
#include "flyball/base/result.h"
#include "flyball/sandbox/storage/entry.h"

namespace flyball::sandbox {

class Collections;
struct Following;
class Writer;

/// All objects of the embedded API server, and how they came to be so: what etcd is to upstream's.
/// One ordered history with a revision number for every change; the objects as they are now and, as
/// far back as is kept, as they were; and followers, who are told of changes from any point of
/// that.
///
/// In memory, or kept in a folder by SQLite as well. What is kept survives the end of the process
/// at any moment, kill -9 included: a write is there if its Done said so, and none is there in
/// half. History is kept too, so that followers go on where they were. A power cut may take back
/// the writes of the last moments, but nothing between them, unless `sync_every_commit` is set.
///
/// Readers and followers see what is durable and nothing else. A write is held against the newest
/// write to its key, durable or not, so that of two with the same expectation only one is taken.
///
/// Any thread may call anything. Functions that are passed in are called without a lock held, but
/// for `Make`; objects may be destroyed with one held. Followers may outlive the storage.
class Storage {
 public:
  /// Makes an object of bytes that were kept.
  using Restore = std::function<Result<StoredPtr>(const StorageKey& key, std::string bytes)>;

  struct Options {
    /// Of each collection: how many changes followers can go back, and lists of the past.
    std::size_t changes_kept = 10'000;
    std::filesystem::path folder = {};  ///< made if it is not there; empty: in memory
    Restore restore = {};            ///< where there is a folder; if empty, objects are just bytes
    bool sync_every_commit = false;  ///< survive power cuts as well, at a sync to disk a commit
    /// The most that the file may grow to, in bytes; writes beyond it fail. 0: what the disk has.
    std::size_t largest_file = 0;
  };

  /// Fails, and leaves all as it is, if the folder is open elsewhere (kConflict), or has something
  /// in it that is not ours, that a later version wrote (kUnsupported), or that is damaged
  /// (kMalformed); if it cannot be read or written: kIo.
  static Result<std::unique_ptr<Storage>> Open(Executor& executor, const Options& options,
                                               Logger logger);

  /// Ends when all writes are durable or have failed, and their Done has been called; so not in
  /// one.
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  /// Makes the object, given the revision that it will have. Called by Put() or Remove() itself
  /// with the lock of writers held: it may read the storage, and must not write to it.
  using Make = std::function<StoredPtr(Revision revision)>;

  /// Told when the write is durable, or why it is not: by Put() itself if it is in memory, or
  /// refused for what can be seen; else by the task that commits, which may not be waited for in
  /// it.
  using Done = std::move_only_function<void(Result<Entry> entry)>;

  /// Writes an object: `expected` is the revision that it must have now; 0: it must not be there.
  /// kAlreadyExists, kNotFound or kConflict if that is not so; kIo if it cannot be kept.
  void Put(StorageKey key, Revision expected, const Make& make, Done done);

  /// Deletes an object, which must be there: `expected` is not 0. `last` makes what followers are
  /// shown of it.
  void Remove(StorageKey key, Revision expected, const Make& last, Done done);

  /// Of the newest change that can be seen; 1 where there has been none.
  Revision revision() const;

  std::optional<Entry> Get(const StorageKey& key) const;

  /// What to list.
  struct Range {
    std::string collection = {};
    std::string namespace_ = {};  ///< empty: all
    Revision at = 0;              ///< as it was then; 0: now
    /// Namespace and name of what came last on the page before.
    std::optional<std::pair<std::string, std::string>> after = {};
    std::size_t limit = 0;  ///< 0: all
  };

  struct Page {
    std::vector<Entry> entries = {};  ///< in the order of Compare()
    Revision at = 0;                  ///< when all of this was so
    bool more = false;                ///< there are others behind these, and this is how many:
    std::size_t remaining = 0;
  };

  /// All pages of one `at` are of the same moment. kGone where that is no longer kept, kInvalid
  /// where it has not been yet.
  Result<Page> List(const Range& range) const;

  /// Somebody's place in the history of a collection. It has no queue of its own: followers share
  /// the one history, so the slowest costs no more than the quickest, and is told kGone when what
  /// it has not taken is no longer kept. One thread at a time.
  class Follower {
   public:
    Follower(std::shared_ptr<Collections> collections, std::shared_ptr<Following> following);
    ~Follower();
    Follower(const Follower&) = delete;
    Follower& operator=(const Follower&) = delete;

    /// The next changes, `max` at most, in their order; none if there are no more yet: then `wake`
    /// will be called once, when there are.
    Result<std::vector<Change>> Take(std::size_t max);

    /// All changes up to here have been taken. With nothing left to take, that is the storage's
    /// newest, whichever collection it was in: what a bookmark says.
    Revision revision() const;

   private:
    const std::shared_ptr<Collections> collections_;
    const std::shared_ptr<Following> following_;
  };

  /// Follows a collection, or one namespace of it, from the first change after `since`: kGone if
  /// that is no longer kept. `wake` says when to Take() again. It is called from the thread of a
  /// write, so it ought only to start something; and it may be called a last time while the
  /// follower is being destroyed, so it must own what it touches.
  Result<std::unique_ptr<Follower>> Follow(std::string collection, std::string namespace_,
                                           Revision since, std::function<void()> wake);

  /// Forgets what the collection was before `up_to` and how it came to that: for those who ask, it
  /// is kGone. Followers who had taken all there was do not notice.
  void Compact(const std::string& collection, Revision up_to);

 private:
  Storage(std::shared_ptr<Collections> collections, std::shared_ptr<Writer> writer);

  const std::shared_ptr<Collections> collections_;
  const std::shared_ptr<Writer> writer_;
};

}  // namespace flyball::sandbox

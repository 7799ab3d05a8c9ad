#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "flyball/base/mutex.h"
#include "flyball/base/result.h"
#include "flyball/sandbox/storage/entry.h"
#include "flyball/sandbox/storage/history.h"
#include "flyball/sandbox/storage/storage.h"

namespace flyball::sandbox {

/// What a Follower is to the collection that it follows. All but the constants are guarded by the
/// Collections' mutex.
struct Following {
  const std::string collection;
  const std::string namespace_;  // empty: all
  const std::function<void()> wake;
  Revision position;     // all up to here has been taken, or is of no interest
  bool waiting = false;  // all has been taken; the next change of interest is to wake it
};
using Woken = std::vector<std::shared_ptr<Following>>;

/// What a file need no longer keep.
struct Forgotten {
  std::vector<Revision> versions;
  std::map<std::string, Revision> compacted;  // by collection
};

/// All that can be seen: the histories of the collections, as of one revision, and who waits for
/// more. Any thread.
class Collections {
 public:
  explicit Collections(std::size_t changes_kept) : changes_kept_(changes_kept) {}

  Revision revision() const FLYBALL_EXCLUDES(mutex_);
  std::optional<Entry> Get(const StorageKey& key) const FLYBALL_EXCLUDES(mutex_);
  Result<Storage::Page> List(const Storage::Range& range) const FLYBALL_EXCLUDES(mutex_);

  /// Makes changes seen, all at once. Says whom to wake, and what went out of the history, if that
  /// is of interest.
  Woken Apply(std::span<const Change> changes, Forgotten* forgotten) FLYBALL_EXCLUDES(mutex_);
  void Compact(const std::string& collection, Revision up_to, Forgotten* forgotten)
      FLYBALL_EXCLUDES(mutex_);

  /// Puts back what a file has kept: first how far each collection is compacted, then the versions
  /// in their order, then the revision.
  void RestoreCompacted(const std::string& collection, Revision compacted) FLYBALL_EXCLUDES(mutex_);
  void RestoreVersion(Change version) FLYBALL_EXCLUDES(mutex_);
  void RestoreRevision(Revision revision, Forgotten* forgotten) FLYBALL_EXCLUDES(mutex_);

  Result<std::shared_ptr<Following>> Follow(std::string collection, std::string namespace_,
                                            Revision since, std::function<void()> wake)
      FLYBALL_EXCLUDES(mutex_);
  void Unfollow(const std::shared_ptr<Following>& following) FLYBALL_EXCLUDES(mutex_);
  Result<std::vector<Change>> Take(const std::shared_ptr<Following>& following, std::size_t max)
      FLYBALL_EXCLUDES(mutex_);
  Revision PositionOf(const Following& following) const FLYBALL_EXCLUDES(mutex_);

 private:
  struct Collection {
    History history;
    /// Those who have taken all there is, by the namespace that they follow; empty: all of them.
    std::unordered_map<std::string, Woken> waiting;
  };

  Collection& At(const std::string& name) FLYBALL_REQUIRES(mutex_) { return by_name_[name]; }
  const History* Find(const std::string& collection) const FLYBALL_REQUIRES(mutex_);
  static void Rouse(Collection& collection, const std::string& namespace_, Revision revision,
                    Woken& woken);

  const std::size_t changes_kept_;  // of each collection

  mutable Mutex mutex_;
  Revision revision_ FLYBALL_GUARDED_BY(mutex_) = 1;
  std::unordered_map<std::string, Collection> by_name_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::sandbox

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "flyball/cache/object_source.h"

namespace flyball::cache {

/// A change of an object, as those who follow it see it.
struct Delta {
  enum class Kind : std::uint8_t {
    kAdded,
    kUpdated,  ///< also when nothing changed: a resync
    kDeleted,
    kInitialEnd,  ///< no change: all that was there at the start has been told
  };

  Kind kind = Kind::kAdded;
  Object old = nullptr;  ///< of an update what was there; of a deletion what the cache had
  Object now = nullptr;  ///< of an addition and an update
  bool initial = false;  ///< of an addition: the object was there before we looked
  /// Of a deletion: the delete event was missed, and the object may have changed after `old`.
  bool final_state_unknown = false;
};

/// Changes that someone has yet to read, in order. Where many are unread, those of one object are
/// folded into what has changed since the reader last saw it, so that the queue never grows beyond
/// the number of objects, however far behind the reader is: two updates become one, an object that
/// came and went is not told of, and a deletion stays.
///
/// One thread at a time.
class DeltaQueue {
 public:
  explicit DeltaQueue(const ObjectAccessor& accessor) : accessor_(accessor) {}

  void Push(Delta delta);
  std::optional<Delta> Pop();
  void Clear() { deltas_.clear(); }
  std::size_t size() const { return deltas_.size(); }

 private:
  /// Below this, looking for what could be folded costs more than it saves.
  static constexpr std::size_t kFewest = 1024;

  void Fold();

  const ObjectAccessor& accessor_;
  std::deque<Delta> deltas_;
  std::size_t fold_above_ = kFewest;
};

}  // namespace flyball::cache

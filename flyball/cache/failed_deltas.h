#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <set>

#include "flyball/api/object_key.h"
#include "flyball/cache/delta_queue.h"

namespace flyball::cache {

/// The changes that a handler could not take, because it threw, and those of the same objects that
/// came after them. They are tried again, in order, so that an exception loses no change: whoever
/// follows a collection would otherwise not hear of it before the object changes again. Changes of
/// other objects do not wait.
///
/// One thread at a time.
class FailedDeltas {
 public:
  explicit FailedDeltas(const ObjectAccessor& accessor) : accessor_(accessor), deltas_(accessor) {}

  /// Calls the handler, unless an earlier change of the object is kept here: then this one is, too.
  /// `call` returns whether the handler has taken it.
  template <typename Call>
  void TryOrKeep(Delta delta, Call&& call) {
    if (keys_.empty() && call(delta)) return;  // as ever
    api::ObjectKey key = KeyOf(delta);
    if (!keys_.empty() && !keys_.contains(key) && call(delta)) return;
    keys_.insert(std::move(key));
    deltas_.Push(std::move(delta));
  }

  /// Tries all of them again.
  template <typename Call>
  void TryAgain(Call&& call) {
    keys_.clear();
    for (std::size_t left = deltas_.size(); left > 0; --left) {
      if (auto delta = deltas_.Pop()) TryOrKeep(*std::move(delta), call);
    }
    pause_ = keys_.empty() ? kFirstPause : std::min<std::chrono::nanoseconds>(2 * pause_, kLongest);
  }

  bool empty() const { return keys_.empty(); }
  /// How long to wait before the next try.
  std::chrono::nanoseconds pause() const { return pause_; }

 private:
  static constexpr std::chrono::nanoseconds kFirstPause = std::chrono::milliseconds(100);
  static constexpr std::chrono::nanoseconds kLongest = std::chrono::minutes(1);

  api::ObjectKey KeyOf(const Delta& delta) const {
    const api::ObjectIdentity identity =
        accessor_.IdentityOf(delta.now ? delta.now.get() : delta.old.get());
    return {std::string(identity.namespace_), std::string(identity.name)};
  }

  const ObjectAccessor& accessor_;
  DeltaQueue deltas_;
  std::set<api::ObjectKey> keys_;  // of the objects whose changes are kept
  std::chrono::nanoseconds pause_ = kFirstPause;
};

}  // namespace flyball::cache

#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "flyball/base/metrics.h"
#include "flyball/base/timers.h"
#include "flyball/cache/informer_core.h"
#include "flyball/client/resource.h"
#include "flyball/runtime/write_log.h"

namespace flyball::runtime {

/// Tells when caches show what was written, so that nobody decides on what they no longer know:
/// a reconcile that has created a pod must see it before it counts pods again.
///
/// Any thread.
class CacheGate {
 public:
  struct Deps {
    Timers& timers;
    std::string controller = {};  ///< whose writes these are, in metrics
    MetricRegistry* metrics = nullptr;
    Logger log = {};
  };
  /// The longest that anyone waits. A cache with a selector may never come to the version of a
  /// write that it does not select, but by bookmarks; they come once a minute.
  static constexpr std::chrono::nanoseconds kLongest = std::chrono::minutes(1);

  explicit CacheGate(Deps deps);
  ~CacheGate();

  /// Takes notice of a cache. Before Start() of the cache, or at any time.
  void Add(const client::Resource& resource, const std::shared_ptr<cache::InformerCore>& cache);
  bool Knows(const client::Resource& resource) const;

  struct Shown {
    /// Where a cache got there by reading all anew, it may have passed over what became of it in
    /// between: what was made and deleted again before that was never there for the cache, so that
    /// nobody is told that it is gone. Who wrote it has to look again, then.
    bool passed_over = false;
    /// Whose cache was the last to show it; null if nobody had to wait.
    const client::Resource* waited_for = nullptr;
  };
  /// Called when the caches show what was written.
  using Release = std::function<void(const Shown& shown)>;

  /// Calls `release` when the caches that it knows show all writes, at once if they do; or when
  /// they have not for too long. None of the writes may be ambiguous. Not under a lock that
  /// `release` takes, and `release` asks nothing of this. It is not called after this is gone.
  void WhenSeen(std::vector<Write> writes, Release release);

  /// How many wait.
  std::size_t waiting() const;

 private:
  class State;
  const std::shared_ptr<State> state_;
};

}  // namespace flyball::runtime

#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "flyball/base/executor.h"
#include "flyball/base/metrics.h"
#include "flyball/base/timers.h"
#include "flyball/cache/informer_core.h"
#include "flyball/client/resource.h"
#include "flyball/runtime/write_log.h"

namespace flyball::runtime {

/// Knows when the caches of a controller show what its reconciles wrote, so that no reconcile
/// decides on a stale cache: one that has created a pod must see it before it counts pods again.
/// (Upstream has a consistency store for some controllers, and expectations for others.)
///
/// A hold ends by knowing, and never because time has passed: a cache whose watch stands still for
/// an hour holds keys for an hour. What a cache does not show by itself is asked for, through the
/// cache's own source, on a task of its own; one question at a time for each resource:
///
///   a write whose fate is unknown   which version the collection has: at once, or, if the object
///                                   had no name or was to be deleted, once the server can no
///                                   longer act on the write. That version is then waited for like
///                                   one that was stored
///   any other, when it gets old     what the server has of the object. If the cache shows the
///                                   same, it need show no more: so a cache with a selector ends
///                                   holds of objects that it does not select
///   a kind that is not served       (404, twice, and the cache says so too): there is nothing
///
/// Any thread.
class ConsistencyStore {
 public:
  struct Deps {
    Executor& executor;
    Timers& timers;
    std::string controller = {};  ///< whose writes these are, in metrics
    MetricRegistry* metrics = nullptr;
    Logger log = {};
  };
  /// After the `timeout=` of a write has passed, an API server may still act for a moment.
  static constexpr std::chrono::nanoseconds kSettleMargin = std::chrono::seconds(2);
  /// A hold that is so old is asked about; then again after twice the time, up to the longest.
  static constexpr std::chrono::nanoseconds kFirstQuestion = std::chrono::seconds(3);
  static constexpr std::chrono::nanoseconds kLongestPause = std::chrono::minutes(1);
  /// A hold that is so old is an error in the log, and again each time that has passed.
  static constexpr std::chrono::nanoseconds kLate = std::chrono::minutes(1);

  explicit ConsistencyStore(Deps deps);
  /// Waits for a question that is under way.
  ~ConsistencyStore();

  /// Adds a cache of a resource, before Start() of the cache or at any time. Writes to resources
  /// without a cache are not waited for.
  void Add(const client::Resource& resource, const std::shared_ptr<cache::InformerCore>& cache);
  bool Tracks(const client::Resource& resource) const;

  struct Observation {
    /// The cache did not show the write in an event: it got to it by a relist, or an answer to a
    /// question ended the hold. An object that was created and deleted again meanwhile was never in
    /// the cache, and no delete event is sent for it. The key has to be reconciled again, then.
    bool missed = false;
    /// The resource of the cache that was the last to show a write; null if none had to be waited
    /// for.
    const client::Resource* waited_for = nullptr;
  };
  /// Called when the caches show what was written.
  using Release = std::function<void(const Observation& observation)>;

  /// Calls `release` when the caches show all of the writes, at once if they do already. Not to be
  /// called under a lock that `release` takes; `release` must not call this. It is not called after
  /// the destructor.
  void WhenObserved(std::vector<Write> writes, Release release);

  /// How many calls of WhenObserved() have not been released yet.
  std::size_t waiting() const;

 private:
  class State;
  const std::shared_ptr<State> state_;
};

}  // namespace flyball::runtime

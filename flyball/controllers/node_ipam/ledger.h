#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/base/metrics.h"
#include "flyball/base/mutex.h"
#include "flyball/base/result.h"
#include "flyball/controllers/node_ipam/holders.h"
#include "flyball/controllers/node_ipam/plan.h"
#include "flyball/controllers/node_ipam/range_plan.h"

namespace flyball::controllers::node_ipam {

/// Which parts of the cluster's ranges are taken.
///
/// It is derived, and never has to be saved: a part is held by each node that the cache shows with
/// it, and by each promise, which is what a node was offered and may get, for all that is known so
/// far. Whoever starts anew has the nodes from a list that is not out of date, and no promises:
/// what was asked for before has been done by then, or is done never, since a request that changes
/// something ends before the lease of who sent it does. (Who runs without a lease sees to that
/// themselves.)
///
/// A part is never given to two:
///   - a promise is made under the lock, and holds its parts before anybody is asked to write them;
///   - it is for one node, by uid, and the request says so: another that comes to have its name
///     does not get it;
///   - it is kept, and offered again, until the cache shows what ranges the node has, which then
///     are its own for good (the server sees to that), or that the node is gone. A lost answer
///     changes nothing, and a late request finds the same parts still kept for its node. Only where
///     the server has refused every request of it, the promise may be taken back;
///   - a part is free when the last who holds it lets go, so that of two nodes that people gave the
///     same range, one may be deleted.
///
/// And none is lost: what a deleted node had comes back with its deletion, which every cache is
/// told of, and what it was promised too. Any thread.
// DIVERGES: upstream takes parts back after most errors, also where the server may have acted; what
// it took of the first range it loses where the second is used up; and it frees what another holds.
class Ledger {
 public:
  Ledger(const RangePlan& plan, MetricRegistry* metrics);

  // What the cache's handlers tell, each time in order. They may be behind what listers show, so
  // that what they say of a node is about that very uid.

  /// A node is shown with these ranges, of which there may be none.
  void Show(std::string_view name, std::string_view uid, const Ranges& ranges);
  /// It no longer is. Something else may be shown of it next.
  void Hide(const Ranges& ranges);
  /// The node is gone.
  void Forget(std::string_view name, std::string_view uid);

  // What a reconcile of the node finds, of which there is one at a time.

  /// The node that has the name has ranges, or there is none.
  void Settle(std::string_view name);
  /// What a node without ranges is to get: the same as it was promised before, if it was. An error
  /// where nothing is left.
  Result<Ranges> Promise(std::string_view name, std::string_view uid);
  /// Nobody knows whether the node got what it was promised.
  void Doubt(std::string_view name);
  /// The server has said no. Nothing comes of that where some earlier request is in doubt.
  void TakeBack(std::string_view name);

  /// What is wrong with the ranges of a node: in which case they are none of the cluster's, and not
  /// held. An error in upstream's words.
  Result<> Check(std::string_view name, const Ranges& ranges) const;

  /// For tests: how many parts of a range of the cluster's are held.
  std::uint64_t held(std::size_t range) const;
  /// For tests: how many nodes were promised something.
  std::size_t promises() const;

 private:
  struct Metrics {
    Counter taken;
    Counter freed;
    Gauge usage;
    Histogram tries;
  };
  struct Range {
    Partition partition;
    Holders holders;
    std::uint64_t next = 0;  ///< where to look first: what was freed of late is used last
    Metrics metrics = {};
  };
  struct Promised {
    std::string uid;
    std::vector<std::uint64_t> numbers;  ///< of parts, by range
    bool in_doubt = false;
  };
  using Promises = std::map<std::string, Promised, std::less<>>;

  static Metrics MetricsOf(const Partition& partition, MetricRegistry* metrics);
  static void Hold(Range& range, const Parts& parts);
  static void Release(Range& range, const Parts& parts);
  /// Those of the ranges that are the cluster's, with what they take.
  template <typename Do>
  void ForEach(const Ranges& ranges, Do&& act) FLYBALL_REQUIRES(mutex_);
  void Drop(Promises::iterator promise) FLYBALL_REQUIRES(mutex_);
  Ranges RangesOf(const Promised& promised) const FLYBALL_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::vector<Range> ranges_ FLYBALL_GUARDED_BY(mutex_);
  Promises promises_ FLYBALL_GUARDED_BY(mutex_);  // by the node's name
};

}  // namespace flyball::controllers::node_ipam

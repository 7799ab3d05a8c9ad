#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flyball/base/metrics.h"
#include "flyball/base/mutex.h"
#include "flyball/base/result.h"
#include "flyball/controllers/node_ipam/cidr_ref_counts.h"
#include "flyball/controllers/node_ipam/plan.h"
#include "flyball/controllers/node_ipam/range_plan.h"

namespace flyball::controllers::node_ipam {

/// Allocates parts of the cluster's CIDRs to nodes.
///
/// Its state is derived and never saved: a part is held by each node that the cache shows with it,
/// and by each reservation, which is what a node was offered and may have got. A new leader starts
/// with the nodes of a consistent list and without reservations: the writes of the last leader are
/// done by then or are never done, since the WriteFence lets out no write after its lease. (A
/// process without leader election has to see to that itself.)
///
/// A part is never given to two:
///   - a reservation is made under the lock, and holds its parts before they are written;
///   - it is for one node, by uid, and the request says so: another that comes to have its name
///     does not get it;
///   - it is kept, and offered again, until the cache shows what ranges the node has, which then
///     are its own for good (the server sees to that), or that the node is gone. A lost answer
///     changes nothing, and a late request finds the same parts still kept for its node. Only where
///     the server has refused each of its writes, the reservation may be cancelled;
///   - a part is free when the last who holds it lets go, so that of two nodes that people gave the
///     same range, one may be deleted.
///
/// And none is lost: what a deleted node had comes back with its deletion, which every cache is
/// told of, and so does its reservation. Any thread.
// DIVERGES: upstream takes parts back after most errors, also where the server may have acted; what
// it took of the first range it loses where the second is used up; and it frees what another holds.
class CidrAllocator {
 public:
  CidrAllocator(const RangePlan& plan, MetricRegistry* metrics);

  // What the cache's handlers tell, each time in order. They may be behind what listers show, so
  // that what they say of a node is about that very uid.

  /// A node is shown with these ranges, of which there may be none, in place of those that it was
  /// shown with before.
  void Show(std::string_view name, std::string_view uid, const Ranges& ranges);
  /// A node is shown that cannot be decoded: what it was shown with before stays its own. If it was
  /// not, its ranges are not known, and nothing is promised while it is there: it could be the
  /// same.
  void ShowUnreadable(std::string_view name, std::string_view uid);
  /// The node is gone.
  void Forget(std::string_view name, std::string_view uid);

  // What a reconcile of the node finds, of which there is one at a time.

  /// The node that has the name has ranges, or there is none.
  void Settle(std::string_view name);
  /// Reserves parts for a node without ranges: the same as before, if it has a reservation. An
  /// error where nothing is left.
  Result<Ranges> Reserve(std::string_view name, std::string_view uid);
  /// It is not known whether the node got its reservation.
  void Doubt(std::string_view name);
  /// The server has refused the write: cancels the reservation, unless an earlier write is in
  /// doubt.
  void TakeBack(std::string_view name);

  /// What is wrong with the ranges of a node: in which case they are none of the cluster's, and not
  /// held. An error in upstream's words.
  Result<> Check(std::string_view name, const Ranges& ranges) const;

  /// For tests: how many parts of a range of the cluster's are held.
  std::uint64_t held(std::size_t range) const;
  /// For tests: how many nodes have a reservation.
  std::size_t reservations() const;

 private:
  struct Metrics {
    Counter taken;
    Counter freed;
    Gauge usage;
    Histogram tries;
  };
  struct Range {
    Partition partition;
    CidrRefCounts ref_counts;
    std::uint64_t next = 0;  ///< where to look first: what was freed of late is used last
    Metrics metrics = {};
  };
  struct Reservation {
    std::string uid;
    std::vector<std::uint64_t> numbers;  ///< of parts, by range
    bool in_doubt = false;
  };
  using Reservations = std::map<std::string, Reservation, std::less<>>;
  /// What a node holds, since the cache shows it: parts, by the index of their range.
  using Shown = std::vector<std::pair<std::size_t, Parts>>;

  static Metrics MetricsOf(const Partition& partition, MetricRegistry* metrics);
  static void Hold(Range& range, const Parts& parts);
  static void Release(Range& range, const Parts& parts);
  /// Those of a node's ranges that are the cluster's.
  Shown PartsOf(const Ranges& ranges) const FLYBALL_REQUIRES(mutex_);
  void Release(const Shown& shown) FLYBALL_REQUIRES(mutex_);
  void Drop(Reservations::iterator reservation) FLYBALL_REQUIRES(mutex_);
  Ranges RangesOf(const Reservation& reserved) const FLYBALL_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::vector<Range> ranges_ FLYBALL_GUARDED_BY(mutex_);
  Reservations reservations_ FLYBALL_GUARDED_BY(mutex_);  // by the node's name
  std::map<std::string, Shown, std::less<>> shown_ FLYBALL_GUARDED_BY(mutex_);  // by uid
  // The names of nodes whose ranges are not known, by uid.
  std::map<std::string, std::string, std::less<>> unknown_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::controllers::node_ipam

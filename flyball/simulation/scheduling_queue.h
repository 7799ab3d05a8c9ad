#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "flyball/api/kubelet_views.h"
#include "flyball/api/object_key.h"
#include "flyball/base/clock.h"

namespace flyball::simulation {

/// The pods that wait for a node. Whose turn it is goes by priority, then by who came first. A pod
/// that found no node waits aside until something changes that may help, and at least for a while
/// that grows with each time; as upstream, it is looked at every few minutes in any case.
///
/// One thread at a time.
class SchedulingQueue {
 public:
  using Pod = std::shared_ptr<const views::KubeletPod>;

  /// A pod is new, or its spec is another than it was: it is looked at as soon as may be. Where it
  /// is not, it stays where it is.
  void Put(Pod pod);
  void Remove(const api::ObjectKey& key);

  /// The pod whose turn it is, if there is one. It is no longer in the queue.
  Pod Pop(SteadyTime now);
  /// A pod that was popped found no node.
  void PutAside(Pod pod, SteadyTime now);
  /// Something changed that may help those who found none.
  void LookAgain(SteadyTime now);

  /// When somebody's turn comes by itself.
  std::optional<SteadyTime> NextDue() const;
  std::size_t size() const { return entries_.size(); }

 private:
  enum class Place : std::uint8_t { kReady, kBackOff, kAside };
  /// More important first, then as they came.
  using Order = std::tuple<std::int64_t, std::uint64_t>;
  struct Entry {
    Pod pod;
    Order order;
    Place place = Place::kReady;
    SteadyTime due = {};  ///< when the back-off is over
    SteadyTime put_aside = {};
  };

  void TakeOut(const api::ObjectKey& key, const Entry& entry);
  void MakeReady(const api::ObjectKey& key, Entry& entry);

  std::uint64_t arrivals_ = 0;
  std::unordered_map<api::ObjectKey, Entry> entries_;
  std::map<Order, api::ObjectKey> ready_;
  std::set<std::pair<SteadyTime, api::ObjectKey>> waiting_;  // for the time to pass
  std::unordered_set<api::ObjectKey> aside_;                 // these wait for a change, too
  /// How often pods found no node; of those popped, too.
  std::unordered_map<api::ObjectKey, int> tries_;
};

}  // namespace flyball::simulation

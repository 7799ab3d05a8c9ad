#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/api/object_key.h"
#include "flyball/api/views.h"
#include "flyball/base/mutex.h"

/// From a pod to the services whose endpoints it is one of, or was.
namespace flyball::controllers::common {

/// What a pod's change may mean to endpoints.
struct PodChange {
  bool endpoint = false;    ///< it is another endpoint than before, or one no more
  bool membership = false;  ///< other services may have it

  friend bool operator==(const PodChange&, const PodChange&) = default;
};
PodChange ChangeBetween(const views::Pod& old, const views::Pod& now);

/// The services by their selectors, as a tree: from the root of a namespace each pair of a
/// selector, in the order of their keys, is a step down, and where a selector ends its service
/// hangs. A pod is led by its own labels: each node that it comes to is the beginning of a selector
/// that its labels have, so that the thousand services which share `app=shop` and differ in
/// `component` cost a pod one step more than one of them does. An index of the cache's, by one pair
/// of each selector, would have a thousand under the wrong one.
///
/// Nodes are known by the hash of their path: two whose hashes are the same by chance cost a
/// reconcile that finds nothing to do, and nobody is ever missed.
///
/// Told by the handlers of services, which also add those services to their queue: a pod that is
/// looked up a moment too early misses nothing. Any thread.
class ServicesOfPod {
 public:
  /// A service is there, maybe not as it was. One without a selector selects nothing.
  // PARITY: one of type ExternalName is found as others are, though it has no endpoints.
  void Put(const core::v1::Service& service);
  void Remove(const api::ObjectKey& service);

  /// The services that select a pod, in the order of their names.
  std::vector<api::ObjectKey> Of(const views::Pod& pod) const { return Find(pod).services; }
  /// Those whose endpoints a change of the pod may change, in the same order.
  std::vector<api::ObjectKey> ToUpdate(const views::Pod& old, const views::Pod& now) const;

  struct Found {
    std::vector<api::ObjectKey> services;
    std::size_t nodes = 0;  ///< looked at on the way
  };
  Found Find(const views::Pod& pod) const;

  /// For what has no selectors any more, as tests see it.
  std::size_t node_count() const;

 private:
  using Hash = std::uint64_t;
  struct Node {
    std::size_t passing = 0;            ///< selectors that begin with its path
    std::vector<std::string> services;  ///< whose selectors end here
  };
  struct Pair {
    std::string_view key;
    std::string_view value;
  };
  void RemoveLocked(const api::ObjectKey& service) FLYBALL_REQUIRES(mutex_);
  void Descend(Hash from, std::span<const Pair> labels, std::string_view namespace_,
               Found& found) const FLYBALL_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::unordered_map<Hash, Node> nodes_ FLYBALL_GUARDED_BY(mutex_);
  /// The nodes on the way to a service, the last of which has it.
  std::unordered_map<api::ObjectKey, std::vector<Hash>> paths_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::controllers::common

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "flyball/api/views.h"
#include "flyball/base/clock.h"
#include "flyball/cache/informer.h"

namespace flyball::controllers::replica_set {

using PodRef = cache::Ref<views::Pod>;

/// How many pods a reconcile makes or removes at most; the next goes on from there.
inline constexpr std::size_t kBurst = 500;

/// What brings the number of a set's pods to what it asks for. At most one of the two.
struct Plan {
  std::size_t create = 0;
  std::size_t remove = 0;

  std::string ToString() const;
  friend bool operator==(const Plan&, const Plan&) = default;
};

/// Decides by how many pods there are and how many there should be.
Plan PlanFor(std::size_t active_pods, std::int32_t replicas);

/// How many pods are made in the first try, and then after each one in which all went well: a
/// template that the server refuses, or a quota that is used up, costs few requests.
inline constexpr std::size_t kFirstBatch = 1;
/// The size of the batch after one of `last`, of `left` that are to be made.
std::size_t NextBatch(std::size_t last, std::size_t left);

}  // namespace flyball::controllers::replica_set

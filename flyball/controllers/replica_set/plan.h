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

}  // namespace flyball::controllers::replica_set

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "flyball/api/views.h"
#include "flyball/base/clock.h"
#include "flyball/cache/informer.h"

/// Which pods go when there are too many.
namespace flyball::controllers::replica_set {

using PodRef = cache::Ref<views::Pod>;

struct DeletionRules {
  bool by_cost = true;  ///< the feature gate PodDeletionCost
};

/// The `count` of the pods that are missed least, the least first:
///
///   1. those on no node before others
///   2. pending before those of which nothing is known before running
///   3. those not ready before ready ones
///   4. a lower controller.kubernetes.io/pod-deletion-cost
///   5. more of `related` on the same node
///   6. ready for a shorter time
///   7. more restarts of a container; then of a sidecar
///   8. created later
///
/// Times differ if their binary logarithms do. Where they do not the uid decides, so that of pods
/// of about one age any may go: whoever scales down and up keeps no pod for ever.
///
/// `related` are the pods of all sets of one owner, these included.
std::vector<PodRef> ChoosePodsToDelete(std::span<const PodRef> pods,
                                       std::span<const PodRef> related, std::size_t count,
                                       WallTime now, DeletionRules rules = {});

/// What it costs to delete a pod, by its annotation: zero for what is not a whole number as one
/// writes it.
std::int32_t DeletionCost(const views::Pod& pod);

/// For a metric: how many times as old as the youngest of the ready pods each of those is that were
/// chosen, if it is ready.
std::vector<double> AgeRatios(std::span<const PodRef> pods, std::span<const PodRef> chosen,
                              WallTime now);

}  // namespace flyball::controllers::replica_set

#pragma once

#include <optional>
#include <span>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/controllers/replica_set/plan.h"
#include "flyball/runtime/context.h"

/// Makes and removes the pods of a set, and tells those who look at the set.
namespace flyball::controllers::replica_set {

/// What has become of the pods of a set, which the caches do not show yet.
struct Scaled {
  std::size_t created = 0;
  std::vector<PodRef> removed = {};  ///< told to end, or gone before they could be
  std::optional<Error> failure = std::nullopt;
};

/// So many pods of a kind, in batches that grow for as long as all goes well. The error is of the
/// first that could not be made.
Scaled CreatePods(runtime::Context& context, const core::v1::ObjectReference& set,
                  const core::v1::Pod& pod, std::size_t count);

/// All of these pods at once. One that is gone already is no error.
Scaled DeletePods(runtime::Context& context, const core::v1::ObjectReference& set,
                  std::span<const PodRef> pods);

}  // namespace flyball::controllers::replica_set

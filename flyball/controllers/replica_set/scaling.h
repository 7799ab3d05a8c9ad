#pragma once

#include <span>

#include "flyball/api/core/v1.h"
#include "flyball/controllers/replica_set/plan.h"
#include "flyball/runtime/context.h"

/// Makes and removes the pods of a set, and tells those who look at the set.
namespace flyball::controllers::replica_set {

/// So many pods of a kind, in batches that grow for as long as all goes well. The error is of the
/// first that could not be made.
Result<> CreatePods(runtime::Context& context, const core::v1::ObjectReference& set,
                    const core::v1::Pod& pod, std::size_t count);

/// All of these pods at once. One that is gone already is no error.
Result<> DeletePods(runtime::Context& context, const core::v1::ObjectReference& set,
                    std::span<const PodRef> pods);

}  // namespace flyball::controllers::replica_set

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/controllers/job/job_pod.h"
#include "flyball/runtime/context.h"

namespace flyball::controllers::job {

/// Takes the finalizer from the pod with this uid, and from no other of its name.
std::string ReleasePatch(std::string_view uid);

/// Takes the finalizer from all of these at once. An error for each of those that may still have
/// it; one that is gone has none.
std::vector<Result<>> ReleasePods(runtime::Context& context, std::span<const PodRef> pods);

}  // namespace flyball::controllers::job

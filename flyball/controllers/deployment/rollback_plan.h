#pragma once

#include <cstdint>

#include "flyball/controllers/deployment/event.h"
#include "flyball/controllers/deployment/rollout.h"

namespace flyball::controllers::deployment {

/// A deployment that is to be written, and what is said when it has been.
struct RollBack {
  apps::v1::Deployment deployment;
  Event event;
  friend bool operator==(const RollBack&, const RollBack&) = default;
};

/// Goes back to an earlier revision, in the way of an annotation that kubectl used long ago: the
/// deployment gets that revision's template and annotations. Whatever comes of it, it is not asked
/// for any more. `target` 0 is the revision before the current one.
RollBack PlanRollBack(const Rollout& rollout, std::int64_t target);

}  // namespace flyball::controllers::deployment

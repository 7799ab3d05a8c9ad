#pragma once

#include <chrono>
#include <string>

#include "flyball/api/batch/v1.h"
#include "flyball/base/clock.h"
#include "flyball/base/result.h"

namespace flyball::controllers::ttl_after_finished {

/// Whether a job is one that goes by itself: it has finished, it says for how long it is to be kept
/// after that, and nobody is deleting it yet.
bool IsToExpire(const batch::v1::Job& job);

/// What is to be done about a job.
struct Plan {
  enum class Action : std::uint8_t {
    kLeave,   ///< it is not to expire, at least not as it is
    kWait,    ///< until it does
    kDelete,  ///< it has
  };

  Action action = Action::kLeave;
  std::chrono::nanoseconds wait = {};  ///< if it is to wait
  api::Time expires = {};              ///< unless it is left

  std::string ToString() const;
  friend bool operator==(const Plan&, const Plan&) = default;
};

/// Decides. An error if nobody knows when the job finished.
Result<Plan> PlanFor(const batch::v1::Job& job, WallTime now);

}  // namespace flyball::controllers::ttl_after_finished

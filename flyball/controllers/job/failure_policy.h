#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "flyball/api/batch/v1.h"
#include "flyball/api/views.h"

namespace flyball::controllers::job {

/// What a job's podFailurePolicy makes of a pod that has failed.
struct FailureHandling {
  std::optional<std::string> fails_job = std::nullopt;  ///< with these words
  bool counts = true;                                   ///< towards the limits
  std::string_view action = {};  ///< of the rule that was found; empty: none was

  friend bool operator==(const FailureHandling&, const FailureHandling&) = default;
};

/// By the first rule that fits. Without a policy, or where no rule fits, it counts.
FailureHandling HandlingOf(const views::Pod& failed, const batch::v1::Job& job);

}  // namespace flyball::controllers::job

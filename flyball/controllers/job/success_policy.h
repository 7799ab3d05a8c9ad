#pragma once

#include <optional>
#include <string>

#include "flyball/api/batch/v1.h"
#include "flyball/controllers/job/indexes.h"

namespace flyball::controllers::job {

/// Whether a job has succeeded by its successPolicy, with these indexes: the words for its
/// condition, or none if it has not, or has no such policy.
std::optional<std::string> SuccessBy(const batch::v1::Job& job, const Indexes& succeeded);

}  // namespace flyball::controllers::job

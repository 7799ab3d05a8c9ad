#pragma once

#include <string_view>

#include "flyball/base/result.h"
#include "flyball/controllers/cron_job/schedule.h"

namespace flyball::controllers::cron_job {

/// Reads five fields, with names of months and weekdays, lists, ranges and steps. The error is
/// worded as upstream's.
Result<Calendar> ParseCalendar(std::string_view text);

/// The text without white space around it: Unicode's, as Go has it.
std::string_view TrimSpace(std::string_view text);

}  // namespace flyball::controllers::cron_job

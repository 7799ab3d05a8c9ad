#pragma once

#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

#include "flyball/base/result.h"
#include "flyball/controllers/cron_job/zone_rule.h"

namespace flyball::controllers::cron_job {

/// What clocks show in a place, at any time. Constant once it is there: any thread.
///
/// Howard Hinnant's date, as Debian 12 has it, was tried and is not used. It does not read the rule
/// at the end of a zone's file, so that summer time ends for good with the last change that the
/// file names: in 2037, or long ago where the files are of the short form.
class TimeZone {
 public:
  /// Where clocks show UTC.
  TimeZone() = default;
  /// What a file of the zone database holds (RFC 9636), leap seconds aside.
  static Result<TimeZone> Parse(std::string_view file);

  /// What clocks are ahead of UTC by at a moment.
  std::chrono::seconds OffsetAt(std::chrono::sys_seconds moment) const;
  /// What they show then.
  std::chrono::local_seconds ToLocal(std::chrono::sys_seconds moment) const;
  /// The moment at which they show that. Where they do so twice, or never since they are put
  /// forward, it is the one that Go's time.Date gives.
  std::chrono::sys_seconds ToMoment(std::chrono::local_seconds shown) const;

 private:
  struct Change {
    std::chrono::sys_seconds when;
    std::chrono::seconds offset = {};  ///< from then on
  };

  std::chrono::seconds before_ = {};  ///< the offset until the first change
  std::vector<Change> changes_;
  std::optional<ZoneRule> rule_ = std::nullopt;  ///< from the last change on
};

}  // namespace flyball::controllers::cron_job

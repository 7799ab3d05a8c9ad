#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/base/result.h"
#include "flyball/controllers/cron_job/time_zone.h"

namespace flyball::controllers::cron_job {

/// Zones by name, from the zone database of the machine (Debian's tzdata), where Go's programs look
/// for it. A file is read each time, so that an update of the database counts at once. Any thread.
///
/// DIVERGES: upstream has a copy of the database in its program, for machines without one, and
/// takes an archive for ZONEINFO. Here there has to be one, in files.
class TimeZones {
 public:
  struct Places {
    std::vector<std::string> folders = {"/usr/share/zoneinfo", "/usr/share/lib/zoneinfo",
                                        "/usr/lib/locale/TZ", "/etc/zoneinfo"};
    /// TZ, by which this machine's own zone is called; absent: it is in `local_file`.
    std::optional<std::string> local_name = std::nullopt;
    std::string local_file = "/etc/localtime";

    /// With what ZONEINFO and TZ say.
    static Places OfThisMachine();
  };
  using Ref = std::shared_ptr<const TimeZone>;

  explicit TimeZones(Places places);

  /// "" and "UTC" are UTC, "Local" is this machine's. The error is worded as Go's.
  Result<Ref> Find(std::string_view name) const;
  /// This machine's own, as of when this was made; UTC if there is none.
  const Ref& Local() const { return local_; }

 private:
  const Places places_;
  const Ref local_;
};

}  // namespace flyball::controllers::cron_job

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace flyball::controllers::cron_job {

/// How clocks go on in a zone after the last change that its file names: standard time, and mostly
/// a summer time that begins and ends by a rule. POSIX's form of TZ: "CET-1CEST,M3.5.0,M10.5.0/3".
class ZoneRule {
 public:
  /// Nothing if that is no such text.
  static std::optional<ZoneRule> Parse(std::string_view text);

  /// What clocks are ahead of UTC by at a moment.
  std::chrono::seconds OffsetAt(std::chrono::sys_seconds moment) const;

 private:
  class Reader;

  /// A day of each year, and the time on that day by the clocks of before.
  struct Change {
    enum class Kind : std::uint8_t {
      kWithoutLeapDay,  ///< J60 is the first of March in any year
      kFromZero,        ///< 59 is the 29th of February, or else the first of March
      kWeekday,         ///< M10.5.0 is the last Sunday of October
    };
    Kind kind = Kind::kWeekday;
    unsigned day = 0;  ///< of the year, or of the week
    unsigned week = 0;
    unsigned month = 0;
    std::chrono::seconds time = {};

    /// The moment of it in a year, where clocks were ahead of UTC by so much.
    std::chrono::sys_seconds In(std::chrono::year year, std::chrono::seconds offset) const;
  };
  struct Summer {
    std::chrono::seconds offset = {};
    Change begin = {};
    Change end = {};
  };

  std::chrono::seconds standard_ = {};
  std::optional<Summer> summer_ = std::nullopt;
};

}  // namespace flyball::controllers::cron_job

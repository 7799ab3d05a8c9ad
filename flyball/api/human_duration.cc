#include "flyball/api/human_duration.h"

#include <cstdint>

namespace flyball::api {
namespace {

/// "3m20s", or "3m" where nothing of the smaller unit is left.
std::string TwoUnits(std::int64_t large, char large_unit, std::int64_t small, char small_unit) {
  std::string text = std::to_string(large) + large_unit;
  if (small != 0) text += std::to_string(small) + small_unit;
  return text;
}

std::string OneUnit(std::int64_t count, char unit) { return TwoUnits(count, unit, 0, ' '); }

}  // namespace

std::string HumanDuration(std::chrono::nanoseconds duration) {
  const std::int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
  const std::int64_t minutes = seconds / 60;
  const std::int64_t hours = minutes / 60;
  const std::int64_t days = hours / 24;
  // Clocks of two machines may differ a little.
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return OneUnit(seconds, 's');
  if (minutes < 10) return TwoUnits(minutes, 'm', seconds % 60, 's');
  if (minutes < 3 * 60) return OneUnit(minutes, 'm');
  if (hours < 8) return TwoUnits(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return OneUnit(hours, 'h');
  if (hours < 8 * 24) return TwoUnits(days, 'd', hours % 24, 'h');
  if (days < 2 * 365) return OneUnit(days, 'd');
  if (days < 8 * 365) return TwoUnits(days / 365, 'y', days % 365, 'd');
  return OneUnit(days / 365, 'y');
}

}  // namespace flyball::api

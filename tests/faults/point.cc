#include "tests/faults/point.h"

#include <charconv>
#include <utility>

namespace flyball::faults {
namespace {

constexpr std::pair<std::string_view, Point::Kind> kNames[] = {
    {"kill-before", Point::Kind::kKillBefore},
    {"kill-after", Point::Kind::kKillAfter},
    {"kill-late", Point::Kind::kKillLate},
    {"lose-answer", Point::Kind::kLoseAnswer},
    {"answer-503", Point::Kind::kAnswer503},
    {"answer-page", Point::Kind::kAnswerPage},
    {"answer-wait", Point::Kind::kAnswerWait},
    {"act-late", Point::Kind::kActLate},
    {"act-last", Point::Kind::kActLast},
    {"refuse-on", Point::Kind::kRefuseOn},
    {"forbid-on", Point::Kind::kForbidOn},
    {"refuse-404", Point::Kind::kRefuse404},
    {"refuse-409", Point::Kind::kRefuse409},
    {"refuse-twin", Point::Kind::kRefuseTwin},
    {"refuse-422", Point::Kind::kRefuse422},
    {"throw", Point::Kind::kThrow},
    {"stop-late", Point::Kind::kStopLate},
    {"pause", Point::Kind::kPause},
    {"lease-gone", Point::Kind::kLeaseGone},
    {"clock-on", Point::Kind::kClockOn},
    {"clock-back", Point::Kind::kClockBack},
    {"stop", Point::Kind::kStop},
    {"refuse", Point::Kind::kRefuse},
    {"hold", Point::Kind::kHold},
    {"miss", Point::Kind::kMiss},
    {"freeze", Point::Kind::kFreeze},
};

}  // namespace

std::optional<Point> Point::Parse(std::string_view text) {
  for (const auto& [name, kind] : kNames) {
    if (!text.starts_with(name) || !text.substr(name.size()).starts_with('-')) continue;
    const std::string_view digits = text.substr(name.size() + 1);
    Point point{kind};
    const auto read = std::from_chars(digits.begin(), digits.end(), point.number);
    if (read.ec == std::errc() && read.ptr == digits.end() && point.number > 0) return point;
  }
  return std::nullopt;
}

std::string Point::ToString() const {
  for (const auto& [name, known] : kNames) {
    if (known == kind) return std::string(name) + "-" + std::to_string(number);
  }
  return {};
}

}  // namespace flyball::faults

#include "tests/faults/point.h"

#include <charconv>
#include <utility>

namespace flyball::faults {
namespace {

constexpr std::pair<std::string_view, Point::Kind> kNames[] = {
    {"kill-before", Point::Kind::kKillBefore},
    {"kill-after", Point::Kind::kKillAfter},
    {"lose-answer", Point::Kind::kLoseAnswer},
    {"hold", Point::Kind::kHold},
    {"miss", Point::Kind::kMiss},
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

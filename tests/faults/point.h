#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace flyball::faults {

/// What goes wrong in a run, and when: one thing, once. "kill-before-7" is a manager that ends
/// right before its seventh write; writes and events are counted from the beginning of the
/// scenario.
struct Point {
  enum class Kind : std::uint8_t {
    kKillBefore,  ///< a write: the manager ends, and the server has not heard of it
    kKillAfter,   ///< a write: the manager ends, and the server has done it
    kLoseAnswer,  ///< a write: the server has done it, and the manager is not told
    kHold,        ///< an event: its watch stands still until the manager has nothing left to do
    kMiss,        ///< an event: likewise, and then the watch ends, and what it held is never told
  };
  static constexpr Kind kOfWrites[] = {Kind::kKillBefore, Kind::kKillAfter, Kind::kLoseAnswer};
  static constexpr Kind kOfEvents[] = {Kind::kHold, Kind::kMiss};

  Kind kind = Kind::kKillBefore;
  int number = 0;  ///< from 1

  static std::optional<Point> Parse(std::string_view text);
  std::string ToString() const;

  bool of_writes() const { return kind <= Kind::kLoseAnswer; }
  bool kills() const { return kind <= Kind::kKillAfter; }
  friend bool operator==(const Point&, const Point&) = default;
};

}  // namespace flyball::faults

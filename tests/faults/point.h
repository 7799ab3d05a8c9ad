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
    // A write, and the manager ends.
    kKillBefore,  ///< the server has not heard of it
    kKillAfter,   ///< the server has done it
    kKillLate,    ///< the server does it later, a second after the write's `timeout=`
    // A write, and the manager lives.
    kLoseAnswer,  ///< the server has done it, and the manager is not told
    kAnswer503,   ///< the server has done it, and a proxy says that it has not
    kAnswerPage,  ///< likewise, with a page of HTML: 502
    kAnswerWait,  ///< likewise, 503 with Retry-After
    kActLate,     ///< the connection breaks, and the server does it seconds later
    kActLast,     ///< likewise, a second after the write's `timeout=`
    kRefuse,      ///< the server refuses it, once
    kRefuseOn,    ///< the server refuses it, and all others for a minute and a half: 429
    kForbidOn,    ///< likewise with 403
    kRefuse404,   ///< refused once, as if what it is about were gone
    kRefuse409,   ///< refused once, as if another had been quicker
    kRefuseTwin,  ///< refused once, as if the object were there already
    kRefuse422,   ///< refused once, as invalid
    kThrow,       ///< it throws an exception
    kStop,        ///< the manager is asked to end then, and another begins when it has
    kStopLate,    ///< likewise, and this write is done a second after its `timeout=`
    kPause,       ///< the process stands still before it leaves, and goes on when another leads
    kLeaseGone,   ///< somebody deletes the lease by which the manager leads
    kClockOn,     ///< the manager's wall clock is set an hour forward, and back after a minute
    kClockBack,   ///< likewise back, and forward
    // An event.
    kHold,    ///< its watch stands still until the manager has nothing left to do
    kMiss,    ///< likewise, and then the watch ends, and what it held is never told
    kFreeze,  ///< its watch stands still for three minutes, whatever the manager does
  };
  static constexpr Kind kOfWrites[] = {Kind::kKillBefore, Kind::kKillAfter, Kind::kLoseAnswer,
                                       Kind::kAnswer503,  Kind::kActLate,   Kind::kRefuse,
                                       Kind::kRefuseOn};
  /// For scenarios with few writes: else there are too many runs.
  static constexpr Kind kOfFewWrites[] = {
      Kind::kKillLate,  Kind::kAnswerPage, Kind::kAnswerWait, Kind::kActLast,
      Kind::kForbidOn,  Kind::kRefuse404,  Kind::kRefuse409,  Kind::kRefuseTwin,
      Kind::kRefuse422, Kind::kThrow,      Kind::kStop,       Kind::kStopLate,
      Kind::kPause,     Kind::kLeaseGone,  Kind::kClockOn,    Kind::kClockBack};
  static constexpr Kind kOfEvents[] = {Kind::kHold, Kind::kMiss};
  static constexpr Kind kOfFewEvents[] = {Kind::kFreeze};

  Kind kind = Kind::kKillBefore;
  int number = 0;  ///< from 1

  static std::optional<Point> Parse(std::string_view text);
  std::string ToString() const;

  bool of_writes() const { return kind < Kind::kHold; }
  /// A minute or more, until all is over.
  bool takes_long() const {
    return kind == Kind::kRefuseOn || kind == Kind::kForbidOn || kind == Kind::kFreeze ||
           (kind >= Kind::kLoseAnswer && kind <= Kind::kActLast);
  }
  /// Another manager takes over, when the lease has run out.
  bool replaces_manager() const {
    return kind <= Kind::kKillLate || (kind >= Kind::kStop && kind <= Kind::kLeaseGone);
  }
  bool shifts_clock() const { return kind == Kind::kClockOn || kind == Kind::kClockBack; }
  friend bool operator==(const Point&, const Point&) = default;
};

}  // namespace flyball::faults

#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "flyball/base/result.h"

namespace flyball::api {

/// How much of a moment its encodings show.
enum class TimeForm : std::uint8_t { kSeconds, kMicroseconds };

/// A moment, to the nanosecond, over all the years that Go's time has. The default is the moment
/// that means "not set": the start of the year 1, which JSON writes as null and protobuf as an
/// empty message (that is up to their codecs, who ask IsZero()).
///
/// What code puts in stays exact in memory and in comparisons; what the encodings show is cut to
/// the form's precision, as upstream does it. Zones are resolved on reading and never kept.
template <TimeForm kForm>
class BasicTime {
 public:
  constexpr BasicTime() = default;
  explicit BasicTime(std::chrono::sys_time<std::chrono::nanoseconds> wall);
  /// Seconds since 1970; nanoseconds beyond a second, or negative ones, carry over.
  static BasicTime FromUnix(std::int64_t seconds, std::int64_t nanoseconds = 0);
  /// The fields of a protobuf timestamp. Time ignores the nanoseconds, MicroTime cuts them.
  static BasicTime FromProto(std::int64_t seconds, std::int32_t nanoseconds);

  /// RFC 3339 with Go's leniencies: an hour of one digit, a comma for the point, zone offsets up to
  /// 24:60. Time takes any number of decimals or none; MicroTime wants exactly six.
  static Result<BasicTime> Parse(std::string_view text);
  /// RFC 3339 in UTC, with no decimals or with six. Years are padded to four digits; one outside
  /// of 0..9999, which no Parse() reads back, is written in full as Go does.
  std::string ToString() const;

  constexpr bool IsZero() const { return *this == BasicTime(); }
  constexpr std::int64_t unix_seconds() const { return seconds_; }
  /// Within the second, 0..999999999, counted forward also before 1970.
  constexpr std::int32_t nanoseconds() const { return nanoseconds_; }
  /// What goes into a protobuf timestamp beside unix_seconds().
  std::int32_t ProtoNanoseconds() const;
  /// The nearest moment that 64 bits of nanoseconds hold (years 1677 to 2262).
  std::chrono::sys_time<std::chrono::nanoseconds> ToWallTime() const;
  /// Without what the seconds form does not show.
  BasicTime WholeSeconds() const { return FromUnix(seconds_); }

  friend constexpr auto operator<=>(const BasicTime&, const BasicTime&) = default;

  BasicTime operator+(std::chrono::nanoseconds distance) const;
  BasicTime operator-(std::chrono::nanoseconds distance) const;
  /// The distance, or the longest one there is where it does not fit.
  std::chrono::nanoseconds operator-(const BasicTime& earlier) const;

 private:
  constexpr BasicTime(std::int64_t seconds, std::int32_t nanoseconds)
      : seconds_(seconds), nanoseconds_(nanoseconds) {}

  std::int64_t seconds_ = -62'135'596'800;  // 0001-01-01T00:00:00Z
  std::int32_t nanoseconds_ = 0;
};

using Time = BasicTime<TimeForm::kSeconds>;
using MicroTime = BasicTime<TimeForm::kMicroseconds>;

extern template class BasicTime<TimeForm::kSeconds>;
extern template class BasicTime<TimeForm::kMicroseconds>;

static_assert(sizeof(Time) <= 16);

}  // namespace flyball::api

#include "flyball/api/time.h"

#include <limits>

#include "flyball/api/label_validation.h"
#include "flyball/base/wrapping.h"

namespace flyball::api {
namespace {

__extension__ using Int128 = __int128;

constexpr std::int64_t kSecondsPerDay = 86'400;
constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;
constexpr std::int32_t kNanosecondsPerMicrosecond = 1'000;

std::int64_t FloorDivide(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }
std::int64_t FloorModulo(std::int64_t a, std::int64_t b) { return a % b + (a % b < 0 ? b : 0); }

std::int64_t SaturateToInt64(Int128 value) {
  using Limits = std::numeric_limits<std::int64_t>;
  if (value > Limits::max()) return Limits::max();
  if (value < Limits::min()) return Limits::min();
  return static_cast<std::int64_t>(value);
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

/// Reads a timestamp from left to right. The first thing that does not fit turns `ok` off, and
/// what is read after that means nothing.
struct Reader {
  std::string_view rest;
  bool ok = true;

  bool DigitAt(std::size_t i) const { return i < rest.size() && IsDigit(rest[i]); }

  int Number(std::size_t digits, int low, int high) {
    int value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      if (!DigitAt(i)) return Reject();
      value = value * 10 + (rest[i] - '0');
    }
    if (value < low || value > high) return Reject();
    rest.remove_prefix(digits);
    return value;
  }

  void Literal(char wanted) {
    if (!rest.starts_with(wanted)) {
      Reject();
      return;
    }
    rest.remove_prefix(1);
  }

  int Reject() {
    ok = false;
    rest = {};
    return 0;
  }
};

bool StartsFraction(std::string_view text) {
  return text.starts_with('.') || text.starts_with(',');
}

/// Any number of decimals, of which nine count; or none.
std::int32_t ReadAnyFraction(Reader& reader) {
  if (!StartsFraction(reader.rest) || !reader.DigitAt(1)) return 0;
  reader.rest.remove_prefix(1);
  std::int32_t value = 0;
  std::size_t digits = 0;
  for (; reader.DigitAt(digits); ++digits) {
    if (digits < 9) value = value * 10 + (reader.rest[digits] - '0');
  }
  reader.rest.remove_prefix(digits);
  for (; digits < 9; ++digits) value *= 10;
  return value;
}

/// Exactly six decimals.
std::int32_t ReadMicroseconds(Reader& reader) {
  if (!StartsFraction(reader.rest)) return reader.Reject();
  reader.rest.remove_prefix(1);
  // PARITY: the six may be a sign and five digits, as long as the number is not negative.
  std::size_t digits = 6;
  const bool negative = reader.rest.starts_with('-');
  if (negative || reader.rest.starts_with('+')) {
    reader.rest.remove_prefix(1);
    digits = 5;
  }
  const int value = reader.Number(digits, 0, negative ? 0 : 999'999);
  return value * kNanosecondsPerMicrosecond;
}

/// The seconds that the zone is ahead of UTC.
std::int64_t ReadZone(Reader& reader) {
  if (reader.rest.starts_with('Z')) {
    reader.Literal('Z');
    return 0;
  }
  const bool west = reader.rest.starts_with('-');
  reader.Literal(west ? '-' : '+');
  // PARITY: the limits themselves are taken.
  const int hours = reader.Number(2, 0, 24);
  reader.Literal(':');
  const int minutes = reader.Number(2, 0, 60);
  const std::int64_t offset = (hours * 60 + minutes) * 60;
  return west ? -offset : offset;
}

void AppendPadded(std::string& out, std::int64_t value, std::size_t width) {
  const std::string digits = std::to_string(value < 0 ? -value : value);
  if (value < 0) out += '-';
  if (digits.size() < width) out.append(width - digits.size(), '0');
  out += digits;
}

/// "2006-01-02T15:04:05".
std::string FormatSeconds(std::int64_t unix_seconds) {
  // The calendar repeats every 400 years, which keeps any year within what std::chrono takes.
  constexpr std::int64_t kDaysPerEra = 146'097;
  const std::int64_t days = FloorDivide(unix_seconds, kSecondsPerDay);
  const std::int64_t second = FloorModulo(unix_seconds, kSecondsPerDay);
  const std::int64_t era = FloorDivide(days, kDaysPerEra);
  const std::chrono::year_month_day date(
      std::chrono::sys_days(std::chrono::days(days - era * kDaysPerEra)));
  std::string text;
  text.reserve(27);
  AppendPadded(text, static_cast<int>(date.year()) + era * 400, 4);
  const auto append = [&](char separator, std::int64_t value) {
    text += separator;
    AppendPadded(text, value, 2);
  };
  append('-', static_cast<unsigned>(date.month()));
  append('-', static_cast<unsigned>(date.day()));
  append('T', second / 3600);
  append(':', second / 60 % 60);
  append(':', second % 60);
  return text;
}

}  // namespace

template <TimeForm kForm>
BasicTime<kForm>::BasicTime(std::chrono::sys_time<std::chrono::nanoseconds> wall)
    : BasicTime(FromUnix(0, wall.time_since_epoch().count())) {}

template <TimeForm kForm>
BasicTime<kForm> BasicTime<kForm>::FromUnix(std::int64_t seconds, std::int64_t nanoseconds) {
  const std::int64_t carry = FloorDivide(nanoseconds, kNanosecondsPerSecond);
  return {WrappingAdd(seconds, carry),
          static_cast<std::int32_t>(FloorModulo(nanoseconds, kNanosecondsPerSecond))};
}

template <TimeForm kForm>
BasicTime<kForm> BasicTime<kForm>::FromProto(std::int64_t seconds, std::int32_t nanoseconds) {
  if constexpr (kForm == TimeForm::kSeconds) return FromUnix(seconds);
  return FromUnix(seconds, nanoseconds - nanoseconds % kNanosecondsPerMicrosecond);
}

template <TimeForm kForm>
Result<BasicTime<kForm>> BasicTime<kForm>::Parse(std::string_view text) {
  Reader reader{text};
  const int year = reader.Number(4, 0, 9999);
  reader.Literal('-');
  const int month = reader.Number(2, 1, 12);
  reader.Literal('-');
  const int day = reader.Number(2, 1, 31);
  reader.Literal('T');
  const int hour = reader.Number(reader.DigitAt(1) ? 2 : 1, 0, 23);
  reader.Literal(':');
  const int minute = reader.Number(2, 0, 59);
  reader.Literal(':');
  const int second = reader.Number(2, 0, 59);
  const std::int32_t nanoseconds =
      kForm == TimeForm::kSeconds ? ReadAnyFraction(reader) : ReadMicroseconds(reader);
  const std::int64_t offset = ReadZone(reader);
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!reader.ok || !reader.rest.empty() || !date.ok()) {
    return Fail(ErrorCode::kMalformed, "not a time: " + QuoteForMessage(text));
  }
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return FromUnix(days * kSecondsPerDay + hour * 3600 + minute * 60 + second - offset, nanoseconds);
}

template <TimeForm kForm>
std::string BasicTime<kForm>::ToString() const {
  std::string text = FormatSeconds(seconds_);
  if constexpr (kForm == TimeForm::kMicroseconds) {
    text += '.';
    AppendPadded(text, nanoseconds_ / kNanosecondsPerMicrosecond, 6);
  }
  text += 'Z';
  return text;
}

template <TimeForm kForm>
std::int32_t BasicTime<kForm>::ProtoNanoseconds() const {
  if constexpr (kForm == TimeForm::kSeconds) return 0;
  return nanoseconds_ - nanoseconds_ % kNanosecondsPerMicrosecond;
}

template <TimeForm kForm>
std::chrono::sys_time<std::chrono::nanoseconds> BasicTime<kForm>::ToWallTime() const {
  const Int128 total = Int128{seconds_} * kNanosecondsPerSecond + nanoseconds_;
  return std::chrono::sys_time<std::chrono::nanoseconds>(
      std::chrono::nanoseconds(SaturateToInt64(total)));
}

template <TimeForm kForm>
BasicTime<kForm> BasicTime<kForm>::operator+(std::chrono::nanoseconds distance) const {
  const std::int64_t count = distance.count();
  const std::int64_t whole = count / kNanosecondsPerSecond;
  return FromUnix(WrappingAdd(seconds_, whole),
                  nanoseconds_ + (count - whole * kNanosecondsPerSecond));
}

template <TimeForm kForm>
BasicTime<kForm> BasicTime<kForm>::operator-(std::chrono::nanoseconds distance) const {
  const std::int64_t count = distance.count();
  const std::int64_t whole = count / kNanosecondsPerSecond;
  return FromUnix(WrappingAdd(seconds_, -whole),
                  nanoseconds_ - (count - whole * kNanosecondsPerSecond));
}

template <TimeForm kForm>
std::chrono::nanoseconds BasicTime<kForm>::operator-(const BasicTime& earlier) const {
  const Int128 seconds = Int128{seconds_} - earlier.seconds_;
  return std::chrono::nanoseconds(
      SaturateToInt64(seconds * kNanosecondsPerSecond + (nanoseconds_ - earlier.nanoseconds_)));
}

template class BasicTime<TimeForm::kSeconds>;
template class BasicTime<TimeForm::kMicroseconds>;

}  // namespace flyball::api

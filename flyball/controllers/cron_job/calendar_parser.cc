#include "flyball/controllers/cron_job/calendar_parser.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "flyball/base/log_format.h"

namespace flyball::controllers::cron_job {
namespace {

std::unexpected<Error> Bad(std::string message) {
  return Fail(ErrorCode::kMalformed, std::move(message));
}

/// How long the white space is that a text starts with; 0 if there is none.
std::size_t SpaceAt(std::string_view text) {
  if (text.empty()) return 0;
  if (text[0] == ' ' || (text[0] >= '\t' && text[0] <= '\r')) return 1;
  static constexpr std::string_view kSpaces[] = {"\u0085", "\u00a0", "\u1680", "\u2000", "\u2001",
                                                 "\u2002", "\u2003", "\u2004", "\u2005", "\u2006",
                                                 "\u2007", "\u2008", "\u2009", "\u200a", "\u2028",
                                                 "\u2029", "\u202f", "\u205f", "\u3000"};
  const auto found = std::ranges::find_if(
      kSpaces, [text](std::string_view space) { return text.starts_with(space); });
  return found == std::end(kSpaces) ? 0 : found->size();
}

std::vector<std::string_view> SplitAtSpace(std::string_view text) {
  std::vector<std::string_view> words;
  std::size_t begin = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t space = SpaceAt(text.substr(at));
    if (space == 0) {
      ++at;
      continue;
    }
    if (at > begin) words.push_back(text.substr(begin, at - begin));
    at += space;
    begin = at;
  }
  if (begin < text.size()) words.push_back(text.substr(begin));
  return words;
}

/// At least one part; empty ones too.
std::vector<std::string_view> Split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (std::size_t end = text.find(at); end != std::string_view::npos; end = text.find(at)) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

/// What a field may name.
struct Bounds {
  std::uint64_t least;
  std::uint64_t most;
  std::span<const std::string_view> names = {};  ///< of the least and those after it
};

constexpr std::string_view kMonthNames[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                            "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::string_view kWeekdayNames[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

constexpr Bounds kMinutes{0, 59};
constexpr Bounds kHours{0, 23};
constexpr Bounds kDays{1, 31};
constexpr Bounds kMonths{1, 12, kMonthNames};
constexpr Bounds kWeekdays{0, 6, kWeekdayNames};

/// A decimal number that is not negative, in Go's words where it is none.
Result<std::uint64_t> ParseNumber(std::string_view text) {
  std::string_view digits = text;
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  std::uint64_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, number);
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  std::string_view problem = "value out of range";
  if (read.ec == std::errc::invalid_argument || (read.ec == std::errc() && read.ptr != end)) {
    problem = "invalid syntax";
  } else if (read.ec == std::errc() && number <= kMost + (negative ? 1 : 0)) {
    if (!negative || number == 0) return number;
    return Bad("negative number (-" + std::to_string(number) +
               ") not allowed: " + std::string(text));
  }
  std::string message =
      "failed to parse int from " + std::string(text) + ": strconv.Atoi: parsing ";
  AppendGoQuoted(message, text);
  return Bad(message.append(": ").append(problem));
}

Result<std::uint64_t> ParseNumberOrName(std::string_view text, const Bounds& bounds) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  const auto name = std::ranges::find(bounds.names, lower);
  if (name == bounds.names.end()) return ParseNumber(text);
  return bounds.least + static_cast<std::uint64_t>(name - bounds.names.begin());
}

struct Range {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint64_t step = 1;
  bool is_star = false;
};

Result<> Check(const Range& range, const Bounds& bounds, std::string_view text) {
  const auto say = [text](const std::string& what) { return Bad(what + ": " + std::string(text)); };
  const auto in_brackets = [](std::uint64_t n) { return "(" + std::to_string(n) + ")"; };
  if (range.first < bounds.least) {
    return say("beginning of range " + in_brackets(range.first) + " below minimum " +
               in_brackets(bounds.least));
  }
  if (range.last > bounds.most) {
    return say("end of range " + in_brackets(range.last) + " above maximum " +
               in_brackets(bounds.most));
  }
  if (range.first > range.last) {
    return say("beginning of range " + in_brackets(range.first) + " beyond end of range " +
               in_brackets(range.last));
  }
  if (range.step == 0) return say("step of range should be a positive number");
  return {};
}

/// "*", "5", "mon-fri", each with a step or not; "5/2" goes on to the end.
Result<Range> ParseRange(std::string_view text, const Bounds& bounds) {
  const std::vector<std::string_view> with_step = Split(text, '/');
  const std::vector<std::string_view> ends = Split(with_step[0], '-');
  Range range{.first = bounds.least, .last = bounds.most};
  if (ends[0] == "*" || ends[0] == "?") {
    // PARITY: what follows a star after a hyphen is not read.
    range.is_star = true;
  } else {
    FLYBALL_TRY(range.first, ParseNumberOrName(ends[0], bounds));
    range.last = range.first;
    if (ends.size() > 2) return Bad("too many hyphens: " + std::string(text));
    if (ends.size() == 2) {
      FLYBALL_TRY(range.last, ParseNumberOrName(ends[1], bounds));
    }
  }
  if (with_step.size() > 2) return Bad("too many slashes: " + std::string(text));
  if (with_step.size() == 2) {
    FLYBALL_TRY(range.step, ParseNumber(with_step[1]));
    if (ends.size() == 1) range.last = bounds.most;
    if (range.step > 1) range.is_star = false;
  }
  FLYBALL_TRY(Check(range, bounds, text));
  return range;
}

struct Field {
  std::uint64_t bits = 0;
  bool is_star = false;
};

// PARITY: a field of commas alone names nothing, and is no error.
Result<Field> ParseField(std::string_view text, const Bounds& bounds) {
  Field field;
  for (const std::string_view part : Split(text, ',')) {
    if (part.empty()) continue;
    FLYBALL_TRY(const Range range, ParseRange(part, bounds));
    for (std::uint64_t n = range.first; n <= range.last; n += range.step) {
      field.bits |= std::uint64_t{1} << n;
    }
    field.is_star |= range.is_star;
  }
  return field;
}

}  // namespace

std::string_view TrimSpace(std::string_view text) {
  const std::vector<std::string_view> words = SplitAtSpace(text);
  if (words.empty()) return {};
  const char* const end = words.back().data() + words.back().size();
  return {words.front().data(), static_cast<std::size_t>(end - words.front().data())};
}

Result<Calendar> ParseCalendar(std::string_view text) {
  const std::vector<std::string_view> words = SplitAtSpace(text);
  if (words.size() != 5) {
    std::string message =
        "expected exactly 5 fields, found " + std::to_string(words.size()) + ": [";
    for (const std::string_view word : words) {
      if (word.data() != words.front().data()) message += ' ';
      message += word;
    }
    return Bad(message + "]");
  }
  FLYBALL_TRY(const Field minutes, ParseField(words[0], kMinutes));
  FLYBALL_TRY(const Field hours, ParseField(words[1], kHours));
  FLYBALL_TRY(const Field days, ParseField(words[2], kDays));
  FLYBALL_TRY(const Field months, ParseField(words[3], kMonths));
  FLYBALL_TRY(const Field weekdays, ParseField(words[4], kWeekdays));
  return Calendar{.minutes = minutes.bits,
                  .hours = hours.bits,
                  .days = days.bits,
                  .months = months.bits,
                  .weekdays = weekdays.bits,
                  .both_days = days.is_star || weekdays.is_star};
}

}  // namespace flyball::controllers::cron_job

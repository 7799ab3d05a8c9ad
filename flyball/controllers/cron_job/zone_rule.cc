#include "flyball/controllers/cron_job/zone_rule.h"

#include <algorithm>
#include <cstddef>

namespace flyball::controllers::cron_job {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::sys_days;
using std::chrono::sys_seconds;

/// What the zone's own tools take where a summer time has no rule.
constexpr std::string_view kUsualChanges = ",M3.2.0,M11.1.0";

}  // namespace

/// Takes the text apart from left to right; false or nothing where it is something else.
class ZoneRule::Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool AtEnd() const { return rest_.empty(); }
  bool At(char c) const { return rest_.starts_with(c); }
  bool Take(char c) {
    if (!At(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  /// An abbreviation of three letters or more, or anything between < and >.
  bool Name() {
    const bool quoted = Take('<');
    const std::size_t end = rest_.find_first_of(quoted ? ">" : "0123456789,-+");
    if (quoted && end == std::string_view::npos) return false;
    const std::size_t size = std::min(end, rest_.size());
    if (!quoted && size < 3) return false;
    rest_.remove_prefix(size);
    if (quoted) rest_.remove_prefix(1);
    return true;
  }

  std::optional<unsigned> Number(unsigned least, unsigned most) {
    std::size_t size = 0;
    unsigned number = 0;
    for (; size < rest_.size() && rest_[size] >= '0' && rest_[size] <= '9'; ++size) {
      number = number * 10 + static_cast<unsigned>(rest_[size] - '0');
      if (number > most) return std::nullopt;
    }
    if (size == 0 || number < least) return std::nullopt;
    rest_.remove_prefix(size);
    return number;
  }

  /// "-3:30": hours, up to a week of them, and minutes and seconds if need be.
  std::optional<seconds> Span() {
    const bool negative = At('-');
    if (!Take('-')) Take('+');
    const auto whole = Number(0, 24 * 7);
    if (!whole) return std::nullopt;
    seconds span = hours(*whole);
    if (Take(':')) {
      const auto minute = Number(0, 59);
      if (!minute) return std::nullopt;
      span += minutes(*minute);
      if (Take(':')) {
        const auto second = Number(0, 59);
        if (!second) return std::nullopt;
        span += seconds(*second);
      }
    }
    return negative ? -span : span;
  }

  std::optional<Change> NextChange() {
    auto change = Day();
    if (!change) return std::nullopt;
    change->time = hours(2);
    if (!Take('/')) return change;
    const auto time = Span();
    if (!time) return std::nullopt;
    change->time = *time;
    return change;
  }

 private:
  std::optional<Change> Day() {
    if (Take('J')) {
      const auto day = Number(1, 365);
      if (!day) return std::nullopt;
      return Change{.kind = Change::Kind::kWithoutLeapDay, .day = *day};
    }
    if (!Take('M')) {
      const auto day = Number(0, 365);
      if (!day) return std::nullopt;
      return Change{.kind = Change::Kind::kFromZero, .day = *day};
    }
    const auto month = Number(1, 12);
    if (!month || !Take('.')) return std::nullopt;
    const auto week = Number(1, 5);
    if (!week || !Take('.')) return std::nullopt;
    const auto day = Number(0, 6);
    if (!day) return std::nullopt;
    return Change{.day = *day, .week = *week, .month = *month};
  }

  std::string_view rest_;
};

std::optional<ZoneRule> ZoneRule::Parse(std::string_view text) {
  Reader reader(text);
  ZoneRule rule;
  if (!reader.Name()) return std::nullopt;
  const auto standard = reader.Span();
  if (!standard) return std::nullopt;
  rule.standard_ = -*standard;  // written as what is added to the clocks' time to get UTC
  if (reader.AtEnd() || reader.At(',')) return rule;

  if (!reader.Name()) return std::nullopt;
  Summer summer{.offset = rule.standard_ + hours(1)};
  if (!reader.AtEnd() && !reader.At(',')) {
    const auto offset = reader.Span();
    if (!offset) return std::nullopt;
    summer.offset = -*offset;
  }
  if (reader.AtEnd()) reader = Reader(kUsualChanges);
  if (!reader.Take(',') && !reader.Take(';')) return std::nullopt;
  const auto begin = reader.NextChange();
  if (!begin || !reader.Take(',')) return std::nullopt;
  const auto end = reader.NextChange();
  if (!end || !reader.AtEnd()) return std::nullopt;
  summer.begin = *begin;
  summer.end = *end;
  rule.summer_ = summer;
  return rule;
}

sys_seconds ZoneRule::Change::In(std::chrono::year year, seconds offset) const {
  using std::chrono::last;
  const sys_days new_year(year / 1 / 1);
  sys_days date = new_year + days(day);
  if (kind == Kind::kWithoutLeapDay) {
    date = new_year + days(day - 1 + (year.is_leap() && day >= 60 ? 1 : 0));
  } else if (kind == Kind::kWeekday) {
    const std::chrono::weekday weekday(day);
    const auto in = year / std::chrono::month(month);
    date = week == 5 ? sys_days(in / weekday[last]) : sys_days(in / weekday[week]);
  }
  return date + time - offset;
}

seconds ZoneRule::OffsetAt(sys_seconds moment) const {
  if (!summer_) return standard_;
  const std::chrono::year_month_day date(std::chrono::floor<days>(moment));
  const sys_seconds begin = summer_->begin.In(date.year(), standard_);
  const sys_seconds end = summer_->end.In(date.year(), summer_->offset);
  // South of the equator the year begins in summer.
  const bool in_summer =
      begin <= end ? begin <= moment && moment < end : moment < end || begin <= moment;
  return in_summer ? summer_->offset : standard_;
}

}  // namespace flyball::controllers::cron_job

#include "flyball/controllers/cron_job/schedule.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "flyball/api/duration.h"
#include "flyball/controllers/cron_job/calendar_parser.h"

namespace flyball::controllers::cron_job {
namespace {

using std::chrono::days;
using std::chrono::local_days;
using std::chrono::local_seconds;
using std::chrono::seconds;
using std::chrono::sys_seconds;

/// What is not found by the end of this many years after the first is not looked for any further.
constexpr std::chrono::years kHorizon(5);

bool Has(std::uint64_t bits, unsigned number) { return (bits >> number & 1) != 0; }

struct Macro {
  std::string_view name;
  std::string_view fields;
};
constexpr Macro kMacros[] = {
    {"@yearly", "0 0 1 1 *"}, {"@annually", "0 0 1 1 *"}, {"@monthly", "0 0 1 * *"},
    {"@weekly", "0 0 * * 0"}, {"@daily", "0 0 * * *"},    {"@midnight", "0 0 * * *"},
    {"@hourly", "0 * * * *"},
};
constexpr std::string_view kEvery = "@every ";

/// A moment that is moved forward, field by field from the largest, until a calendar has it.
///
/// PARITY: how clocks that are put forward or back are passed is robfig/cron's way, step by step:
/// dates are counted by what clocks show, hours and less by what goes by. Other ways give other
/// times on such days.
class Search {
 public:
  Search(const Calendar& calendar, const TimeZone& zone, sys_seconds start)
      : calendar_(calendar), zone_(zone), moment_(start) {}

  std::optional<sys_seconds> Run() {
    // Nothing would come of it, minute by minute.
    if (calendar_.minutes == 0 || calendar_.hours == 0) return std::nullopt;
    const std::chrono::year last = Date().year() + kHorizon;
    while (Date().year() <= last) {
      // Where one comes to the start of what is larger, that has to be looked at again.
      if (SeekMonth() && SeekDay() && SeekHour() && SeekMinute() && SeekSecond()) return moment_;
    }
    return std::nullopt;
  }

 private:
  local_seconds Shown() const { return zone_.ToLocal(moment_); }
  std::chrono::year_month_day Date() const {
    return std::chrono::year_month_day(std::chrono::floor<days>(Shown()));
  }
  std::chrono::hh_mm_ss<seconds> Time() const {
    const local_seconds shown = Shown();
    return std::chrono::hh_mm_ss<seconds>(shown - std::chrono::floor<days>(shown));
  }
  unsigned Hour() const { return static_cast<unsigned>(Time().hours().count()); }
  unsigned Minute() const { return static_cast<unsigned>(Time().minutes().count()); }

  void SetShown(local_seconds shown) { moment_ = zone_.ToMoment(shown); }
  /// True the first time that something moves: what is smaller starts anew then.
  bool MovesFirst() { return !std::exchange(moved_, true); }

  bool SeekMonth() {
    while (!Has(calendar_.months, static_cast<unsigned>(Date().month()))) {
      if (MovesFirst()) SetShown(local_days(Date().year() / Date().month() / 1));
      const auto date = Date();
      // A day that the month does not have is one of the month after it.
      const local_days first(date.year() / date.month() / 1 + std::chrono::months(1));
      SetShown(first + (date.day() - std::chrono::day(1)) + Time().to_duration());
      if (Date().month() == std::chrono::January) return false;
    }
    return true;
  }

  bool DayFits() const {
    const auto date = Date();
    const bool day = Has(calendar_.days, static_cast<unsigned>(date.day()));
    const bool weekday =
        Has(calendar_.weekdays, std::chrono::weekday(local_days(date)).c_encoding());
    return calendar_.both_days ? day && weekday : day || weekday;
  }

  bool SeekDay() {
    while (!DayFits()) {
      if (MovesFirst()) SetShown(local_days(Date()));
      const sys_seconds before = moment_;
      SetShown(Shown() + days(1));
      // There is no midnight on some days on which clocks are put forward.
      if (const unsigned hour = Hour(); hour > 12) {
        moment_ += std::chrono::hours(24 - hour);
      } else {
        moment_ -= std::chrono::hours(hour);
      }
      // DIVERGES: where a whole day is left out, as on Samoa in 2011, upstream stays for good.
      if (moment_ <= before) moment_ = before + days(1);
      if (Date().day() == std::chrono::day(1)) return false;
    }
    return true;
  }

  bool SeekHour() {
    while (!Has(calendar_.hours, Hour())) {
      if (MovesFirst()) SetShown(local_days(Date()) + Time().hours());
      moment_ += std::chrono::hours(1);
      if (Hour() == 0) return false;
    }
    return true;
  }

  bool SeekMinute() {
    while (!Has(calendar_.minutes, Minute())) {
      if (MovesFirst()) moment_ = std::chrono::floor<std::chrono::minutes>(moment_);
      moment_ += std::chrono::minutes(1);
      if (Minute() == 0) return false;
    }
    return true;
  }

  bool SeekSecond() {
    while (Time().seconds() != seconds(0)) {
      moved_ = true;
      moment_ += seconds(1);
      if (Time().seconds() == seconds(0)) return false;
    }
    return true;
  }

  const Calendar& calendar_;
  const TimeZone& zone_;
  sys_seconds moment_;
  bool moved_ = false;
};

/// Whole seconds, and one at least.
Result<seconds> ParseEvery(std::string_view text) {
  const auto duration = api::ParseDuration(text.substr(kEvery.size()));
  if (!duration) {
    return std::unexpected(duration.error().Wrap("failed to parse duration " + std::string(text)));
  }
  return std::max(seconds(1), std::chrono::floor<seconds>(*duration));
}

}  // namespace

Result<Schedule> Schedule::Parse(std::string_view text, const TimeZones& zones) {
  if (text.empty()) return Fail(ErrorCode::kMalformed, "empty spec string");
  TimeZones::Ref zone = zones.Local();
  if (text.starts_with("TZ=") || text.starts_with("CRON_TZ=")) {
    const std::size_t space = text.find(' ');
    if (space == std::string_view::npos) {
      // PARITY: upstream's library fails in this way, and its words get into events.
      return Fail(ErrorCode::kMalformed,
                  "invalid schedule format: runtime error: slice bounds out of range [:-1]");
    }
    const std::size_t name = text.find('=') + 1;
    const std::string_view named = text.substr(name, space - name);
    auto found = zones.Find(named);
    if (!found) {
      return std::unexpected(found.error().Wrap("provided bad location " + std::string(named)));
    }
    zone = *std::move(found);
    text = TrimSpace(text.substr(space));
  }
  if (!text.starts_with('@')) {
    FLYBALL_TRY(const Calendar calendar, ParseCalendar(text));
    return Schedule(calendar, std::move(zone));
  }
  const auto macro = std::ranges::find(kMacros, text, &Macro::name);
  if (macro != std::end(kMacros)) {
    FLYBALL_TRY(const Calendar calendar, ParseCalendar(macro->fields));
    return Schedule(calendar, std::move(zone));
  }
  if (text.starts_with(kEvery)) {
    FLYBALL_TRY(const seconds every, ParseEvery(text));
    return Schedule(every, std::move(zone));
  }
  return Fail(ErrorCode::kMalformed, "unrecognized descriptor: " + std::string(text));
}

std::optional<sys_seconds> Schedule::Next(sys_seconds after) const {
  if (const auto* const every = std::get_if<Every>(&when_)) return after + *every;
  return Search(std::get<Calendar>(when_), *zone_, after + seconds(1)).Run();
}

}  // namespace flyball::controllers::cron_job

#include "flyball/serving/internal/date_text.h"

#include <cstdio>

namespace flyball::serving {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::hh_mm_ss;
using std::chrono::seconds;
using std::chrono::sys_days;
using std::chrono::sys_seconds;
using std::chrono::weekday;
using std::chrono::year_month_day;

const std::string& DateText::Now() {
  const sys_seconds now = floor<seconds>(clock_.WallNow());
  if (now == second_ && !text_.empty()) return text_;
  constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const sys_days day = floor<days>(now);
  const year_month_day date(day);
  const hh_mm_ss time(now - day);
  char text[64];
  const int size = std::snprintf(
      text, sizeof(text), "%s, %02u %s %04d %02d:%02d:%02d GMT", kDays[weekday(day).c_encoding()],
      static_cast<unsigned>(date.day()), kMonths[static_cast<unsigned>(date.month()) - 1],
      static_cast<int>(date.year()), static_cast<int>(time.hours().count()),
      static_cast<int>(time.minutes().count()), static_cast<int>(time.seconds().count()));
  text_.assign(text, static_cast<std::size_t>(size));
  second_ = now;
  return text_;
}

}  // namespace flyball::serving

#include "flyball/serving/internal/date_text.h"

#include "flyball/base/fake_clock.h"
#include "gtest/gtest.h"

namespace flyball::serving {
namespace {

using namespace std::chrono_literals;

TEST(DateText, IsAsHttpWritesTime) {
  FakeClock clock(WallTime(std::chrono::seconds(784'111'777)));
  DateText date(clock);
  EXPECT_EQ(date.Now(), "Sun, 06 Nov 1994 08:49:37 GMT");
  clock.Advance(999ms);
  EXPECT_EQ(date.Now(), "Sun, 06 Nov 1994 08:49:37 GMT");
  clock.Advance(24h);
  EXPECT_EQ(date.Now(), "Mon, 07 Nov 1994 08:49:37 GMT");
}

}  // namespace
}  // namespace flyball::serving

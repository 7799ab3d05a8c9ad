#include "flyball/controllers/common/terminating_namespace_backoff.h"

#include <gtest/gtest.h>

#include "flyball/base/fake_clock.h"

namespace flyball::controllers::common {
namespace {

using std::chrono::seconds;

TEST(TerminatingNamespaceBackoff, WaitsBeforeTheNextCreate) {
  FakeClock clock;
  TerminatingNamespaceBackoff refused(clock);
  const api::ObjectKey web{"team", "web"};
  EXPECT_EQ(refused.Wait(web, "first"), std::nullopt);
  refused.Refused(web, "first");
  EXPECT_EQ(refused.Wait(web, "first"), seconds(30));
  EXPECT_EQ(refused.Wait(web, "second"), std::nullopt);
  clock.Advance(seconds(29));
  EXPECT_EQ(refused.Wait(web, "first"), seconds(1));
  clock.Advance(seconds(1));
  EXPECT_EQ(refused.Wait(web, "first"), std::nullopt);
  refused.Refused(web, "first");
  refused.Gone(web);
  EXPECT_EQ(refused.Wait(web, "first"), std::nullopt);
}

}  // namespace
}  // namespace flyball::controllers::common

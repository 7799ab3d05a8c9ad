#include "flyball/api/toleration.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "flyball/api/core/v1.h"

namespace flyball::api {
namespace {

core::v1::Toleration Of(const std::string& key, const std::string& op, const std::string& value,
                        const std::string& effect = "") {
  core::v1::Toleration toleration;
  toleration.key = key;
  toleration.operator_ = op;
  toleration.value = value;
  toleration.effect = effect;
  return toleration;
}

bool Tolerated(const core::v1::Toleration& toleration, const std::string& value = "web",
               TolerationRules rules = {}) {
  core::v1::Taint taint;
  taint.key = "only";
  taint.value = value;
  taint.effect = "NoSchedule";
  return AnyTolerates(std::vector{Of("else", "Exists", ""), toleration}, taint, rules);
}

TEST(Toleration, GoesByEffectKeyAndValue) {
  EXPECT_TRUE(Tolerated(Of("only", "Equal", "web", "NoSchedule")));
  EXPECT_TRUE(Tolerated(Of("only", "", "web")));
  EXPECT_TRUE(Tolerated(Of("only", "Exists", "", "NoSchedule")));
  EXPECT_TRUE(Tolerated(Of("", "Exists", "")));
  EXPECT_FALSE(Tolerated(Of("only", "Equal", "db")));
  EXPECT_FALSE(Tolerated(Of("only", "Exists", "", "NoExecute")));
  EXPECT_FALSE(Tolerated(Of("other", "Exists", "")));
  EXPECT_FALSE(Tolerated(Of("only", "Like", "web")));
}

TEST(Toleration, ComparesNumbersWhereThatIsOn) {
  const TolerationRules on{.compare_numbers = true};
  EXPECT_FALSE(Tolerated(Of("only", "Gt", "5"), "6"));
  EXPECT_TRUE(Tolerated(Of("only", "Gt", "5"), "6", on));
  EXPECT_FALSE(Tolerated(Of("only", "Gt", "5"), "5", on));
  EXPECT_TRUE(Tolerated(Of("only", "Lt", "0"), "-12", on));
  EXPECT_FALSE(Tolerated(Of("only", "Lt", "5"), "5", on));
  for (const std::string bad : {"", "+6", "06", "-0", "six", "6.0", "-", "9223372036854775808"}) {
    EXPECT_FALSE(Tolerated(Of("only", "Gt", "5"), bad, on)) << bad;
    EXPECT_FALSE(Tolerated(Of("only", "Gt", bad), "7", on)) << bad;
  }
}

}  // namespace
}  // namespace flyball::api

#include "flyball/manager/known_controllers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "flyball/controllers/registry.h"

namespace flyball::manager {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const KnownController& Find(std::string_view name) {
  return *std::ranges::find(KnownControllers(), name, &KnownController::name);
}

bool Enabled(const std::vector<std::string>& flag, std::string_view name) {
  return ControllerSelection(flag).Enabled(Find(name), FeatureGates());
}

TEST(KnownControllers, AreFortyNineAndTheTokenControllerIsFirst) {
  EXPECT_EQ(KnownControllers().size(), 49U);
  EXPECT_EQ(KnownControllers().front().name, "serviceaccount-token-controller");
}

TEST(KnownControllers, HaveTheNamesThatTheRegistryHas) {
  for (const controllers::Entry& entry : controllers::All()) {
    const auto known = std::ranges::find(KnownControllers(), entry.name, &KnownController::name);
    ASSERT_NE(known, KnownControllers().end()) << entry.name;
    EXPECT_EQ(known->alias, entry.alias);
  }
}

TEST(ControllerSelection, HasWhatIsOnByDefaultForAStar) {
  EXPECT_TRUE(Enabled({"*"}, "job-controller"));
  EXPECT_FALSE(Enabled({"*"}, "bootstrap-signer-controller"));
  EXPECT_TRUE(Enabled({"*", "bootstrap-signer-controller"}, "bootstrap-signer-controller"));
  EXPECT_FALSE(Enabled({"*", "-job-controller"}, "job-controller"));
  EXPECT_FALSE(Enabled({"namespace-controller"}, "job-controller"));
  EXPECT_FALSE(Enabled({}, "job-controller"));
}

TEST(ControllerSelection, GoesByTheFirstOfTwo) {
  EXPECT_TRUE(Enabled({"job-controller", "-job-controller"}, "job-controller"));
  EXPECT_FALSE(Enabled({"-job-controller", "job-controller"}, "job-controller"));
}

TEST(ControllerSelection, KnowsTheNamesOfReleasesPast) {
  EXPECT_TRUE(Enabled({"*", "bootstrapsigner"}, "bootstrap-signer-controller"));
  EXPECT_FALSE(Enabled({"*", "-job"}, "job-controller"));
  EXPECT_THAT(ControllerSelection({"*", "-job", "ttl"}).names(),
              ElementsAre("*", "-job-controller", "ttl-controller"));
}

TEST(ControllerSelection, NeedsTheGatesToBeOn) {
  const KnownController& protection = Find("podgroup-protection-controller");
  const ControllerSelection all({"*"});
  EXPECT_TRUE(all.Wanted(protection));
  EXPECT_FALSE(all.Enabled(protection, FeatureGates()));
  const auto gates = FeatureGates::Make({}, {{"", {"GenericWorkload=true"}}});
  ASSERT_TRUE(gates) << gates.error().message();
  EXPECT_TRUE(all.Enabled(protection, *gates));
}

TEST(ControllerSelection, NamesWhatNobodyIsCalled) {
  EXPECT_THAT(UnknownControllers({"*", "job", "-job-controller"}), IsEmpty());
  EXPECT_THAT(UnknownControllers({"foo", "-bar", ""}), ElementsAre("foo", "bar", ""));
}

}  // namespace
}  // namespace flyball::manager

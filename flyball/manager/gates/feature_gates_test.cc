#include "flyball/manager/gates/feature_gates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flyball::manager {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

constexpr EffectiveVersion kNow = {};
constexpr EffectiveVersion kOldest = {kOldestVersion, kOldestVersion};

FeatureGates Made(const std::vector<std::string>& settings, EffectiveVersion version = kNow) {
  auto gates = FeatureGates::Make(version, {{"", settings}});
  EXPECT_TRUE(gates) << gates.error().message();
  return gates ? *gates : FeatureGates();
}

std::string Complaint(const flags::Multimap& settings, EffectiveVersion version = kNow) {
  const auto gates = FeatureGates::Make(version, settings);
  return gates ? "accepted" : gates.error().message();
}

TEST(FeatureGates, AreWhatTheirReleaseHasThem) {
  const FeatureGates gates;
  EXPECT_TRUE(gates.Enabled("APIServerIdentity"));
  EXPECT_FALSE(gates.Enabled("ControllerManagerReleaseLeaderElectionLockOnExit"));
  EXPECT_TRUE(gates.Enabled("DynamicResourceAllocation"));
}

TEST(FeatureGates, AreSetOneByOne) {
  const FeatureGates gates = Made({"APIResponseCompression=false", " EmptyDirVolumeMode = True "});
  EXPECT_FALSE(gates.Enabled("APIResponseCompression"));
  EXPECT_TRUE(gates.Enabled("EmptyDirVolumeMode"));
}

TEST(FeatureGates, AreSetAllAtOnceExceptForThoseThatAreNamed) {
  const FeatureGates gates = Made({"AllBeta=false", "APIServerIdentity=true", "AllAlpha=false"});
  EXPECT_TRUE(gates.Enabled("APIServerIdentity"));
  EXPECT_FALSE(gates.Enabled("APIResponseCompression"));
  EXPECT_TRUE(gates.Enabled("DynamicResourceAllocation")) << "general availability is no beta";
}

TEST(FeatureGates, AreThoseOfTheEmulatedRelease) {
  // Beta and on only where all of the control plane is of this release.
  EXPECT_FALSE(FeatureGates().Enabled("DRAFractionalCapacityRange"));
  EXPECT_TRUE(Made({}, {kKubeVersion, kKubeVersion}).Enabled("DRAFractionalCapacityRange"));
  EXPECT_EQ(Complaint({{"", {"DRAFractionalCapacityRange=true"}}}, kOldest),
            "cannot set feature gate DRAFractionalCapacityRange to true, feature is PreAlpha at "
            "emulated version 1.34, min compatibility version 1.34");
}

TEST(FeatureGates, RefuseWhatTheyDoNotKnowOrHaveLocked) {
  EXPECT_EQ(Complaint({{"", {"Foo=true", "APIServerIdentity=true"}}}),
            "unrecognized feature gate: Foo");
  EXPECT_EQ(
      Complaint({{"kube", {"DynamicResourceAllocation=false"}}}),
      "cannot set feature gate DynamicResourceAllocation to false, feature is locked to true");
  EXPECT_EQ(Complaint({{"", {"Foo"}}}), "missing bool value for Foo");
  EXPECT_EQ(
      Complaint({{"", {"Foo=maybe"}}}),
      R"(invalid value of Foo=maybe, err: strconv.ParseBool: parsing "maybe": invalid syntax)");
  EXPECT_EQ(Complaint({{"wardle", {"Foo=true"}}}), "component not registered: wardle");
  EXPECT_EQ(Complaint({{"", {"AllAlpha=true"}}, {"kube", {"AllBeta=true"}}}),
            "set kube feature gates with default empty prefix or kube: prefix consistently, do not "
            "mix use");
}

TEST(FeatureGates, RefuseAFeatureWithoutWhatItNeeds) {
  EXPECT_EQ(Complaint({{"", {"CompositePodGroup=true"}}}),
            "CompositePodGroup is enabled, but depends on features that are disabled: "
            "[GenericWorkload TopologyAwareWorkloadScheduling]");
}

TEST(FeatureGates, WarnOfThoseThatWillGo) {
  EXPECT_THAT(Made({"DynamicResourceAllocation=true"}).warnings(),
              ElementsAre(FeatureGates::Warning{
                  .gate = "DynamicResourceAllocation", .on = true, .stage = GateStage::kGa}));
  EXPECT_THAT(Made({"APIServerIdentity=true"}).warnings(), IsEmpty());
}

TEST(FeatureGates, AreListedForHelp) {
  const std::vector<std::string> lines = FeatureGates::HelpLines();
  EXPECT_THAT(lines, Contains("AllAlpha=true|false (ALPHA - default=false)"));
  EXPECT_THAT(lines, Contains("DRAFractionalCapacityRange=true|false (BETA - default=false), or "
                              "DRAFractionalCapacityRange=true|false (BETA - default=true) if "
                              "--min-compatibility-version>=1.37"));
  EXPECT_THAT(lines, Not(Contains(testing::StartsWith("DynamicResourceAllocation="))));
}

}  // namespace
}  // namespace flyball::manager

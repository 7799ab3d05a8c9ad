#include "flyball/manager/gates/kube_version.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flyball::manager {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using List = std::vector<std::string>;

std::string VersionComplaint(const List& emulated, const List& min_compatibility = {}) {
  const auto version = EffectiveVersion::Parse(emulated, min_compatibility);
  return version ? "accepted" : version.error().message();
}

TEST(EffectiveVersion, IsOursUnlessToldOtherwise) {
  EXPECT_EQ(EffectiveVersion::Parse({}, {}), (EffectiveVersion{{1, 37}, {1, 36}}));
  EXPECT_THAT(EffectiveVersion().Problems(), IsEmpty());
}

TEST(EffectiveVersion, IsCompatibleWithTheReleaseBeforeTheEmulatedOne) {
  EXPECT_EQ(EffectiveVersion::Parse({"1.36"}, {}), (EffectiveVersion{{1, 36}, {1, 35}}));
  EXPECT_EQ(EffectiveVersion::Parse({"kube=1.34"}, {}), (EffectiveVersion{{1, 34}, {1, 34}}));
  EXPECT_EQ(EffectiveVersion::Parse({" kube = v1.36.0 "}, {"1.34"}),
            (EffectiveVersion{{1, 36}, {1, 34}}));
  EXPECT_EQ(EffectiveVersion::Parse({"1.36-alpha"}, {"kube=1.36"}),
            (EffectiveVersion{{1, 36}, {1, 36}}));
}

TEST(EffectiveVersion, SaysWhatIsOutOfBounds) {
  EXPECT_THAT((EffectiveVersion{{1, 30}, {1, 34}}.Problems()),
              ElementsAre("emulation version 1.30 is not between [1.34, 1.37.0]",
                          "minCompatibilityVersion version 1.34 is not between [1.34, 1.30]"));
  EXPECT_THAT((EffectiveVersion{{1, 38}, {1, 37}}.Problems()),
              ElementsAre("emulation version 1.38 is not between [1.34, 1.37.0]"));
}

TEST(EffectiveVersion, SaysWhatDoesNotParse) {
  EXPECT_EQ(VersionComplaint({"x"}), R"(could not parse "x" as version)");
  EXPECT_EQ(VersionComplaint({"1"}), R"(illegal version string "1")");
  EXPECT_EQ(VersionComplaint({"01.2"}),
            R"(illegal zero-prefixed version component "01" in "01.2")");
  EXPECT_EQ(VersionComplaint({"1.36.2"}), "patch version not allowed, got: kube=1.36.2");
  EXPECT_EQ(VersionComplaint({"1.2.3.4"}), "patch version not allowed, got: kube=1.2.3.4");
  EXPECT_EQ(VersionComplaint({"1.35", "kube=1.36"}),
            "duplicate version flag, kube=1.35 and kube=1.36");
  EXPECT_EQ(VersionComplaint({"wardle=1.2"}), "component not registered: wardle");
  EXPECT_EQ(VersionComplaint({}, {"wardle=1.2"}), "component not registered: wardle");
}

TEST(ReportedVersion, HasToBeOfOurRelease) {
  EXPECT_TRUE(CheckReportedVersion("v1.37.1"));
  EXPECT_TRUE(CheckReportedVersion("v1.37.1-eks.4+build.5"));
  const auto complaint = [](std::string_view text) {
    return CheckReportedVersion(text).error().message();
  };
  EXPECT_EQ(complaint("v1.37.2"),
            R"(version "v1.37.2" must match major/minor/patch of default version "v1.37.1")");
  EXPECT_EQ(complaint("v1.37"), R"(illegal version string "v1.37")");
  EXPECT_EQ(complaint("v1.37.01"), R"(illegal zero-prefixed version component "01" in "v1.37.01")");
  EXPECT_EQ(complaint("v1.37.1-a..b"),
            R"(could not parse pre-release/metadata (-a..b) in version "v1.37.1-a..b")");
  EXPECT_EQ(complaint("vx"), R"(could not parse "vx" as version)");
}

}  // namespace
}  // namespace flyball::manager

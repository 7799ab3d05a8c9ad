#include "flyball/simulation/storage/storage_script.h"

#include <gtest/gtest.h>

namespace flyball::simulation {
namespace {

using namespace std::chrono_literals;

const StorageTimings kTimings{
    .provision = 1s, .remove = 2s, .attach = 3s, .detach = 4s, .resize = 5s};

TEST(StorageScript, NobodySaysAnythingAndItTakesItsTime) {
  EXPECT_EQ(ScriptOf(StorageStep::kDetach, {}, nullptr, kTimings), (StepScript{.delay = 4s}));
  EXPECT_EQ(ScriptOf(StorageStep::kDelete, {}, nullptr, kTimings), (StepScript{.delay = 2s}));
}

TEST(StorageScript, AnAnnotationCountsMoreThanAParameterOfTheClass) {
  storage::v1::StorageClass slow;
  slow.parameters = {{"simulation.flyball.dev/provision-delay", "1m"},
                     {"simulation.flyball.dev/provision-error", "full"}};
  EXPECT_EQ(ScriptOf(StorageStep::kProvision, {}, &slow, kTimings),
            (StepScript{.delay = 1min, .error = "full"}));
  EXPECT_EQ(ScriptOf(StorageStep::kProvision, {{"simulation.flyball.dev/provision-delay", "5ms"}},
                     &slow, kTimings),
            (StepScript{.delay = 5ms, .error = "full"}));
  EXPECT_EQ(ScriptOf(StorageStep::kAttach, {}, &slow, kTimings), (StepScript{.delay = 3s}));
}

TEST(StorageScript, WhatIsNoDurationIsNamed) {
  const auto script =
      ScriptOf(StorageStep::kAttach, {{"simulation.flyball.dev/attach-delay", "-1s"}}, nullptr, {});
  ASSERT_FALSE(script);
  EXPECT_EQ(script.error().message(),
            "simulation.flyball.dev/attach-delay: \"-1s\" is not a duration");
}

TEST(StorageScript, WhatAClaimSaysOfItsVolumeIsWrittenOnTheVolume) {
  core::v1::PersistentVolumeClaim claim;
  claim.metadata.annotations = {{"simulation.flyball.dev/provision-delay", "1s"},
                                {"simulation.flyball.dev/attach-error", "no"},
                                {"simulation.flyball.dev/delete-delay", "2s"},
                                {"example.com/other", "x"}};
  EXPECT_EQ(ScriptOfVolume(claim),
            (api::Map<std::string>{{"simulation.flyball.dev/attach-error", "no"},
                                   {"simulation.flyball.dev/delete-delay", "2s"}}));
}

}  // namespace
}  // namespace flyball::simulation

#include "flyball/controllers/volume_protection/plan.h"

#include <gtest/gtest.h>

#include "flyball/base/clock.h"

namespace flyball::controllers::volume_protection {
namespace {

using common::Protection;

PersistentVolume Volume(const std::string& phase, bool is_protected, bool deleted) {
  PersistentVolume volume;
  volume.status.phase = phase;
  if (is_protected) volume.metadata.finalizers = {"other", std::string(kFinalizer)};
  if (deleted) volume.metadata.deletionTimestamp = api::Time(WallTime());
  return volume;
}

TEST(VolumeProtectionPlan, AVolumeThatGoesStaysWhileItIsBound) {
  EXPECT_EQ(PlanFor(Volume("Bound", true, true)), Protection::kLeave);
  for (const char* const phase : {"Available", "Released", "Failed", "Pending"}) {
    EXPECT_EQ(PlanFor(Volume(phase, true, true)), Protection::kRemove) << phase;
  }
}

TEST(VolumeProtectionPlan, WhatOthersKeepIsTheirs) {
  EXPECT_EQ(PlanFor(Volume("Available", false, true)), Protection::kLeave);
}

TEST(VolumeProtectionPlan, OneThatStaysIsProtected) {
  EXPECT_EQ(PlanFor(Volume("Available", false, false)), Protection::kAdd);
  EXPECT_EQ(PlanFor(Volume("Bound", false, false)), Protection::kAdd);
  EXPECT_EQ(PlanFor(Volume("Bound", true, false)), Protection::kLeave);
}

}  // namespace
}  // namespace flyball::controllers::volume_protection

#include "flyball/controllers/attributes_class_protection/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/base/clock.h"

namespace flyball::controllers::attributes_class_protection {
namespace {

using common::Protection;
using testing::ElementsAre;
using testing::IsEmpty;

PersistentVolumeClaim Claim(const std::string& asked, const std::string& has,
                            const std::string& target) {
  PersistentVolumeClaim claim;
  if (!asked.empty()) claim.spec.volumeAttributesClassName = asked;
  if (!has.empty()) claim.status.currentVolumeAttributesClassName = has;
  if (!target.empty()) {
    claim.status.modifyVolumeStatus.emplace().targetVolumeAttributesClassName = target;
  }
  return claim;
}

TEST(AttributesClassPlan, AClaimNeedsWhatItAsksForWhatItHasAndWhatItIsAboutToGet) {
  EXPECT_THAT(ClassesOf(Claim("c", "a", "b")), ElementsAre("c", "a", "b"));
  EXPECT_THAT(ClassesOf(Claim("a", "a", "a")), ElementsAre("a"));
  EXPECT_THAT(ClassesOf(Claim("", "", "b")), ElementsAre("b"));
  EXPECT_THAT(ClassesOf(Claim("", "", "")), IsEmpty());
}

TEST(AttributesClassPlan, AVolumeNeedsItsClass) {
  PersistentVolume volume;
  EXPECT_THAT(ClassesOf(volume), IsEmpty());
  volume.spec.volumeAttributesClassName = "";
  EXPECT_THAT(ClassesOf(volume), IsEmpty());
  volume.spec.volumeAttributesClassName = "a";
  EXPECT_THAT(ClassesOf(volume), ElementsAre("a"));
}

TEST(AttributesClassPlan, ThoseThatAreNotNeededAnyMore) {
  EXPECT_THAT(ClassesLeft(Claim("b", "a", "b"), Claim("b", "b", "")), ElementsAre("a"));
  EXPECT_THAT(ClassesLeft(Claim("a", "", ""), Claim("a", "a", "")), IsEmpty());
}

TEST(AttributesClassPlan, AClassThatGoesStaysWhileItIsNeeded) {
  VolumeAttributesClass attributes;
  EXPECT_EQ(PlanFor(attributes, false), Protection::kAdd);
  EXPECT_EQ(PlanFor(attributes, true), Protection::kAdd);
  attributes.metadata.finalizers = {std::string(kFinalizer)};
  EXPECT_EQ(PlanFor(attributes, false), Protection::kLeave);
  attributes.metadata.deletionTimestamp = api::Time(WallTime());
  EXPECT_EQ(PlanFor(attributes, true), Protection::kLeave);
  EXPECT_EQ(PlanFor(attributes, false), Protection::kRemove);
}

}  // namespace
}  // namespace flyball::controllers::attributes_class_protection

#include "flyball/controllers/volume_expander/plan.h"

#include <gtest/gtest.h>

#include "flyball/api/quantity.h"

namespace flyball::controllers::volume_expander {
namespace {

PersistentVolumeClaim Claim(const std::string& request, const std::string& has) {
  PersistentVolumeClaim claim;
  claim.metadata.namespace_ = "team";
  claim.metadata.name = "data";
  claim.metadata.uid = "it";
  claim.metadata.resourceVersion = "7";
  claim.spec.resources.requests["storage"] = *api::Quantity::Parse(request);
  if (!has.empty()) claim.status.capacity["storage"] = *api::Quantity::Parse(has);
  return claim;
}
PersistentVolume Volume() {
  PersistentVolume volume;
  auto& reference = volume.spec.claimRef.emplace();
  reference.namespace_ = "team";
  reference.uid = "it";
  return volume;
}
const Plan kWaitsForResizer{.message = "waiting for an external controller to expand this PVC"};

TEST(VolumeExpanderPlan, OneThatAsksForMoreThanItHasWaitsForItsDriver) {
  EXPECT_EQ(PlanFor(Claim("2Gi", "1Gi"), Volume()), kWaitsForResizer);
  EXPECT_EQ(PlanFor(Claim("1Gi", "1Gi"), Volume()), Plan());
  EXPECT_EQ(PlanFor(Claim("1Gi", "2Gi"), Volume()), Plan());
  EXPECT_EQ(PlanFor(Claim("1Gi", ""), Volume()), kWaitsForResizer);
}

TEST(VolumeExpanderPlan, AVolumeThatWasToGrowIsLookedAtToo) {
  PersistentVolume volume = Volume();
  volume.metadata.annotations["volume.alpha.kubernetes.io/pre-resize-capacity"] = "1Gi";
  EXPECT_EQ(PlanFor(Claim("1Gi", "1Gi"), volume), kWaitsForResizer);
}

TEST(VolumeExpanderPlan, ADriverThatHasTakenOverIsTold) {
  PersistentVolume volume = Volume();
  volume.spec.gcePersistentDisk.emplace();
  EXPECT_EQ(PlanFor(Claim("2Gi", "1Gi"), volume),
            (Plan{.message = "CSI migration enabled for kubernetes.io/gce-pd; waiting for external "
                             "resizer to expand the pvc",
                  .resizer = "pd.csi.storage.gke.io"}));
}

TEST(VolumeExpanderPlan, ItIsToldByAnAnnotationAtThisVersion) {
  PersistentVolumeClaim claim = Claim("2Gi", "1Gi");
  EXPECT_EQ(ResizerPatch(claim, "driver").ToString(),
            R"({"metadata":{"annotations":{"volume.kubernetes.io/storage-resizer":"driver"},)"
            R"("resourceVersion":"7"}})");
  EXPECT_FALSE(HasResizer(claim, "driver"));
  claim.metadata.annotations[kResizer] = "driver";
  EXPECT_TRUE(HasResizer(claim, "driver"));
  EXPECT_FALSE(HasResizer(claim, "another"));
}

TEST(VolumeExpanderPlan, AVolumeSaysWhoseItIs) {
  const PersistentVolumeClaim claim = Claim("2Gi", "1Gi");
  EXPECT_TRUE(IsOf(Volume(), claim));
  PersistentVolume volume = Volume();
  volume.spec.claimRef->uid = "another";
  EXPECT_FALSE(IsOf(volume, claim));
  volume = Volume();
  volume.spec.claimRef->namespace_ = "other";
  EXPECT_FALSE(IsOf(volume, claim));
  EXPECT_FALSE(IsOf(PersistentVolume(), claim));
}

TEST(VolumeExpanderPlan, ClaimsThatGrowAreLookedAt) {
  EXPECT_TRUE(Grows(Claim("1Gi", "1Gi"), Claim("2Gi", "1Gi")));
  EXPECT_TRUE(Grows(Claim("2Gi", ""), Claim("2Gi", "1Gi")));
  EXPECT_FALSE(Grows(Claim("2Gi", "1Gi"), Claim("2Gi", "1Gi")));
  EXPECT_FALSE(Grows(Claim("2Gi", "1Gi"), Claim("1Gi", "1Gi")));
}

}  // namespace
}  // namespace flyball::controllers::volume_expander

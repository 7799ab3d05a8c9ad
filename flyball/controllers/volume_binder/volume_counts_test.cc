#include "flyball/controllers/volume_binder/volume_counts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/controllers/volume_binder/internal/binder_fake.h"

namespace flyball::controllers::volume_binder {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(VolumeCounts, VolumesByDriverAndByWhetherTheyAreBound) {
  MetricRegistry metrics;
  VolumeCounts counts(metrics);
  EXPECT_THAT(metrics.Text(), IsEmpty());
  PersistentVolume volume = Free("a", "1Gi");
  counts.Count(nullptr, &volume);
  PersistentVolume path = Free("b", "1Gi");
  path.spec.hostPath.emplace();
  path.spec.volumeMode = "Block";
  counts.Count(nullptr, &path);
  PersistentVolume share = Free("c", "1Gi");
  share.spec.nfs.emplace();
  counts.Count(nullptr, &share);
  PersistentVolume bound = volume;
  bound.status.phase = "Bound";
  counts.Count(&volume, &bound);
  counts.Count(&share, static_cast<const PersistentVolume*>(nullptr));
  const std::string text = metrics.Text();
  EXPECT_THAT(text, HasSubstr("pv_collector_total_pv_count{plugin_name=\"N/A\","
                              "volume_mode=\"Filesystem\"} 1"));
  EXPECT_THAT(text, HasSubstr("pv_collector_total_pv_count{plugin_name=\"kubernetes.io/host-path\","
                              "volume_mode=\"Block\"} 1"));
  // What there is none of is not shown.
  EXPECT_THAT(text, Not(HasSubstr("kubernetes.io/nfs")));
  EXPECT_THAT(text, HasSubstr("pv_collector_bound_pv_count{storage_class=\"slow\"} 1"));
  EXPECT_THAT(text, HasSubstr("pv_collector_unbound_pv_count{storage_class=\"slow\"} 1"));
}

TEST(VolumeCounts, ClaimsByNamespaceClassAndAttributes) {
  MetricRegistry metrics;
  VolumeCounts counts(metrics);
  PersistentVolumeClaim claim = Claim("data", "1Gi");
  counts.Count(nullptr, &claim);
  PersistentVolumeClaim bound = claim;
  bound.status.phase = "Bound";
  bound.spec.volumeAttributesClassName = "gold";
  counts.Count(&claim, &bound);
  EXPECT_THAT(metrics.Text(),
              HasSubstr("pv_collector_bound_pvc_count{namespace=\"team\",storage_class=\"slow\","
                        "volume_attributes_class=\"gold\"} 1"));
  EXPECT_THAT(metrics.Text(), Not(HasSubstr("pv_collector_unbound_pvc_count{")));
}

}  // namespace
}  // namespace flyball::controllers::volume_binder

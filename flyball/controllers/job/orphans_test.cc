#include "flyball/controllers/job/orphans.h"

#include <gtest/gtest.h>

#include "flyball/controllers/job/conditions.h"
#include "flyball/controllers/job/internal/job_fake.h"
#include "flyball/controllers/job/pod_release.h"

namespace flyball::controllers::job {
namespace {

using batch::v1::Job;

TEST(JobOrphans, AreFreedWhenNobodyWillCountThem) {
  const Job job = FakeJob(1);
  const Job ended = FakeJob(
      1, [](Job& its) { its.status.conditions.push_back(TrueCondition(kComplete, "", "", kNow)); });
  const Job anothers = FakeJob(1, [&](Job& its) {
    its.status = ended.status;
    its.spec.managedBy = "example.com/somebody";
  });
  const Job namesake = FakeJob(1, [](Job& its) { its.metadata.uid = "another"; });
  const JobPod pod = FakePod("p", "Running");
  EXPECT_TRUE(IsToBeFreed(pod.pod(), nullptr));
  EXPECT_FALSE(IsToBeFreed(pod.pod(), &job));
  EXPECT_TRUE(IsToBeFreed(pod.pod(), &ended));
  EXPECT_FALSE(IsToBeFreed(pod.pod(), &anothers));
  EXPECT_TRUE(IsToBeFreed(pod.pod(), &namesake));
  EXPECT_FALSE(IsToBeFreed(FakePod("p", "Running", Untrack).pod(), nullptr));
}

TEST(JobOrphans, OfNobodyAreFreedAndOfOthersAreNot) {
  const auto owned_by = [](const std::string& version, const std::string& kind) {
    return FakePod("p", "Running", [&](core::v1::Pod& pod) {
      pod.metadata.ownerReferences[0].apiVersion = version;
      pod.metadata.ownerReferences[0].kind = kind;
    });
  };
  EXPECT_TRUE(IsToBeFreed(
      FakePod("p", "Running", [](core::v1::Pod& pod) { pod.metadata.ownerReferences.clear(); })
          .pod(),
      nullptr));
  EXPECT_FALSE(IsToBeFreed(owned_by("apps/v1", "ReplicaSet").pod(), nullptr));
  EXPECT_FALSE(IsToBeFreed(owned_by("example.com/v1", "Job").pod(), nullptr));
}

TEST(JobOrphans, TheFinalizerIsTakenFromThatPodOnly) {
  EXPECT_EQ(ReleasePatch("a-uid"), R"({"metadata":{"$deleteFromPrimitiveList/finalizers":)"
                                   R"(["batch.kubernetes.io/job-tracking"],"uid":"a-uid"}})");
}

}  // namespace
}  // namespace flyball::controllers::job

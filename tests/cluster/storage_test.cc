// Simulated storage on a real API server, with our controllers, each with its own rights: a
// StatefulSet gets volumes, keeps them, has one grow, and they go with their claims.
#include <algorithm>
#include <string>
#include <vector>

#include "flyball/api/apps/v1.h"
#include "flyball/api/storage/v1.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cluster/manager_test.h"
#include "tests/cluster/simulated_cluster.h"

namespace flyball::cluster {
namespace {

using namespace std::chrono_literals;
using apps::v1::StatefulSet;
using core::v1::PersistentVolume;
using core::v1::PersistentVolumeClaim;
using core::v1::Pod;
using storage::v1::CSINode;

class StorageTest : public ManagerTest {
 protected:
  StatefulSet Ledger() const {
    StatefulSet set;
    set.metadata.namespace_ = space_;
    set.metadata.name = "ledger";
    set.spec.replicas = 2;
    set.spec.serviceName = "ledger";
    set.spec.selector.emplace().matchLabels["app"] = "ledger";
    set.spec.template_.metadata.labels["app"] = "ledger";
    auto& container = set.spec.template_.spec.containers.emplace_back();
    container.name = container.image = "database";
    auto& mount = container.volumeMounts.emplace_back();
    mount.name = "data";
    mount.mountPath = "/data";
    PersistentVolumeClaim& claim = set.spec.volumeClaimTemplates.emplace_back();
    claim.metadata.name = "data";
    claim.spec.accessModes = {"ReadWriteOnce"};
    claim.spec.resources.requests["storage"] = Must(api::Quantity::Parse("1Gi"));
    return set;
  }
  bool AreReady(std::int32_t pods) const {
    const auto set = All<StatefulSet>().Get({space_, "ledger"});
    return set && set->status.readyReplicas == pods;
  }
  PersistentVolumeClaim Claim(const std::string& name) const {
    return Must(All<PersistentVolumeClaim>().Get({space_, name}));
  }
  std::vector<PersistentVolume> Volumes() const {
    auto all = Must(All<PersistentVolume>().ListIn("")).items;
    std::erase_if(all, [&](const PersistentVolume& volume) {
      return !volume.spec.claimRef || volume.spec.claimRef->namespace_ != space_;
    });
    return all;
  }

  const std::string space_ = NewNamespace();
};

TEST_F(StorageTest, AStatefulSetKeepsItsVolumesAndTheyGoWithItsClaims) {
  SimulatedCluster simulated(
      plane(), executor(), network(),
      {.nodes = 2,
       .timings = {.start = 50ms, .ready = 50ms, .stop = 50ms},
       .storage = simulation::StorageTimings{.provision = 50ms, .remove = 50ms, .resize = 50ms}});
  Must(simulated.Start());
  StartManager();
  ASSERT_TRUE(Eventually([&] { return Exists<core::v1::ServiceAccount>({space_, "default"}); }));
  EXPECT_TRUE(Eventually([&] { return Exists<CSINode>({"", "node-0"}); }));

  Must(All<StatefulSet>().Create(Ledger()));
  ASSERT_TRUE(Eventually([&] { return AreReady(2); }, 60s));
  const auto volumes = Volumes();
  ASSERT_EQ(volumes.size(), 2U);
  const std::string volume = Claim("data-ledger-0").spec.volumeName;
  EXPECT_EQ(Claim("data-ledger-0").spec.storageClassName, "standard");
  EXPECT_EQ(Claim("data-ledger-0").status.phase, "Bound");

  const std::string uid = Must(All<Pod>().Get({space_, "ledger-0"})).metadata.uid;
  Must(All<Pod>().Delete({space_, "ledger-0"}));
  EXPECT_TRUE(Eventually([&] {
    const auto pod = All<Pod>().Get({space_, "ledger-0"});
    return pod && pod->metadata.uid != uid && AreReady(2);
  }));
  EXPECT_EQ(Claim("data-ledger-0").spec.volumeName, volume);

  Must(All<PersistentVolumeClaim>().Patch(
      {space_, "data-ledger-0"},
      {client::PatchType::kMerge, R"({"spec":{"resources":{"requests":{"storage":"2Gi"}}}})"}));
  EXPECT_TRUE(Eventually([&] {
    const auto claim = Claim("data-ledger-0");
    const auto* const size = claim.status.capacity.find("storage");
    return size != nullptr && size->ToString() == "2Gi" &&
           std::ranges::none_of(claim.status.conditions, [](const auto& condition) {
             return condition.type == "Resizing" || condition.type == "FileSystemResizePending";
           });
  }));

  Must(All<StatefulSet>().Delete({space_, "ledger"}));
  for (const char* const name : {"data-ledger-0", "data-ledger-1"}) {
    Must(All<PersistentVolumeClaim>().Delete({space_, name}));
  }
  EXPECT_TRUE(Eventually([&] { return Volumes().empty(); }, 60s));
}

}  // namespace
}  // namespace flyball::cluster

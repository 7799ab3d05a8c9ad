// DaemonSets and StatefulSets that were made under one manager, upstream's or ours, and are handed
// to the other and back: neither writes anything, starts a pod anew, or finds a new revision in
// what the other has kept. One byte that differs would restart every daemon of a cluster.
//
// FLYBALL_TAKEOVER_SETS sets how many there are of each.

#include <map>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cluster/number_from_environment.h"
#include "tests/cluster/simulated_cluster.h"
#include "tests/cluster/succession_test.h"
#include "tests/cluster/varied_templates.h"

namespace flyball::cluster {
namespace {

using namespace std::chrono_literals;
using apps::v1::ControllerRevision;
using apps::v1::DaemonSet;
using apps::v1::StatefulSet;
using core::v1::PersistentVolumeClaim;
using testing::IsEmpty;

constexpr int kNodes = 3;
constexpr auto kPatience = 300s;

bool IsComplete(const DaemonSet& set) {
  const auto& status = set.status;
  return status.observedGeneration >= set.metadata.generation &&
         status.desiredNumberScheduled == kNodes && status.updatedNumberScheduled == kNodes &&
         status.numberAvailable == kNodes;
}

bool IsComplete(const StatefulSet& set) {
  const auto& status = set.status;
  const int wanted = set.spec.replicas.value_or(1);
  return status.observedGeneration >= set.metadata.generation && status.replicas == wanted &&
         status.updatedReplicas == wanted && status.availableReplicas == wanted &&
         status.currentRevision == status.updateRevision;
}

class SetTakeoverTest : public SuccessionTest {
 protected:
  void SetUp() override {
    SuccessionTest::SetUp();
    Must(simulated_.Start());
  }

  DaemonSet DescribeDaemons(int number) const {
    DaemonSet set;
    Describe(set, "daemon-" + std::to_string(number), number);
    if (number % 3 == 1) {
      set.spec.updateStrategy.rollingUpdate.emplace().maxSurge = api::IntOrString::Parse("50%");
      set.spec.updateStrategy.rollingUpdate->maxUnavailable = api::IntOrString::Parse("0");
    }
    return set;
  }
  StatefulSet DescribeStateful(int number) const {
    StatefulSet set;
    Describe(set, "state-" + std::to_string(number), number);
    set.spec.replicas = 2;
    set.spec.serviceName = number % 4 == 0 ? "" : "service";
    if (number % 2 == 1) set.spec.podManagementPolicy = "Parallel";
    if (number % 3 == 1) set.spec.ordinals.emplace().start = 5;
    if (number % 3 == 2) {
      auto& claim = set.spec.volumeClaimTemplates.emplace_back();
      claim.metadata.name = "data";
      claim.spec.accessModes = {"ReadWriteOnce"};
      claim.spec.resources.requests["storage"] = *api::Quantity::Parse("1.5Gi");
      set.spec.persistentVolumeClaimRetentionPolicy.emplace().whenScaled = "Delete";
    }
    return set;
  }
  template <typename T>
  void Describe(T& set, const std::string& name, int number) const {
    set.metadata.namespace_ = space_;
    set.metadata.name = name;
    set.metadata.labels = {{"app", name}};
    set.spec.selector.emplace().matchLabels = {{"app", name}};
    set.spec.template_ = VariedTemplate(number, count_, name, "registry.example.com/app:1");
  }

  void CreateAll() const {
    for (int i = 0; i < count_; ++i) {
      Must(All<DaemonSet>().Create(DescribeDaemons(i)));
      Must(All<StatefulSet>().Create(DescribeStateful(i)));
    }
  }
  /// A new image for two of three, and the old one again for half of these: some have one revision,
  /// some have two, and some are back at their first.
  void RollSome() const {
    for (int i = 0; i < count_; ++i) {
      if (i % 3 != 0) Roll(i, "registry.example.com/app:2");
    }
    AwaitComplete();
    for (int i = 0; i < count_; ++i) {
      if (i % 3 == 1) Roll(i, "registry.example.com/app:1");
    }
    AwaitComplete();
  }
  void Roll(int number, const std::string& image) const {
    const client::Patch patch{
        client::PatchType::kStrategic,
        R"({"spec":{"template":{"spec":{"containers":[{"name":"main","image":")" + image +
            R"("}]}}}})"};
    Must(All<DaemonSet>().Patch({space_, "daemon-" + std::to_string(number)}, patch));
    Must(All<StatefulSet>().Patch({space_, "state-" + std::to_string(number)}, patch));
  }

  void AwaitComplete() const {
    EXPECT_TRUE(Eventually([&] { return Incomplete().empty(); }, kPatience));
    EXPECT_THAT(Incomplete(), IsEmpty());
  }
  std::vector<std::string> Incomplete() const {
    std::vector<std::string> names;
    for (const auto& set : Must(All<DaemonSet>().ListIn(space_)).items) {
      if (!IsComplete(set)) names.push_back(set.metadata.name);
    }
    for (const auto& set : Must(All<StatefulSet>().ListIn(space_)).items) {
      if (!IsComplete(set)) names.push_back(set.metadata.name);
    }
    return names;
  }

  /// Of a claim that waits for a volume every manager reminds people when it starts. So each gets
  /// one.
  void BindClaims() const {
    const auto all_are_bound = [&] {
      bool bound = true;
      for (const auto& claim : Must(All<PersistentVolumeClaim>().ListIn(space_)).items) {
        if (claim.status.phase == "Bound") continue;
        bound = false;
        ProvideVolume(claim);
      }
      return bound;
    };
    EXPECT_TRUE(Eventually(all_are_bound, kPatience));
  }
  void ProvideVolume(const PersistentVolumeClaim& claim) const {
    core::v1::PersistentVolume volume;
    volume.metadata.name = "volume-" + claim.metadata.uid;
    volume.spec.capacity = claim.spec.resources.requests;
    volume.spec.accessModes = claim.spec.accessModes;
    volume.spec.hostPath.emplace().path = "/data";
    auto& reference = volume.spec.claimRef.emplace();
    reference.namespace_ = claim.metadata.namespace_;
    reference.name = claim.metadata.name;
    const auto created = All<core::v1::PersistentVolume>().Create(volume);
    EXPECT_TRUE(created || created.error().code() == ErrorCode::kAlreadyExists)
        << created.error().Describe();
  }

  /// Every object of theirs, and which version of it there is: what has not changed has not been
  /// written, whoever might have.
  std::map<std::string, std::string> Versions() const {
    std::map<std::string, std::string> versions;
    const auto add = [&](const char* kind, const auto& list) {
      for (const auto& one : list.items) {
        versions[std::string(kind) + " " + one.metadata.name] =
            one.metadata.uid + " " + one.metadata.resourceVersion;
      }
    };
    add("DaemonSet", Must(All<DaemonSet>().ListIn(space_)));
    add("StatefulSet", Must(All<StatefulSet>().ListIn(space_)));
    add("ControllerRevision", Must(All<ControllerRevision>().ListIn(space_)));
    add("Pod", Must(All<core::v1::Pod>().ListIn(space_)));
    add("PersistentVolumeClaim", Must(All<PersistentVolumeClaim>().ListIn(space_)));
    return versions;
  }
  /// That all that was asked for is there, so that nothing that follows is empty.
  void ExpectRevisions() const {
    std::map<std::string, int> revisions;
    for (const auto& one : Must(All<ControllerRevision>().ListIn(space_)).items) {
      ++revisions[one.metadata.ownerReferences.at(0).name];
    }
    EXPECT_EQ(revisions.size(), 2U * static_cast<std::size_t>(count_));
    for (const auto& [name, count] : revisions) {
      const int number = std::stoi(name.substr(name.find('-') + 1));
      EXPECT_EQ(count, number % 3 == 0 ? 1 : 2) << name;
    }
    EXPECT_EQ(Must(All<core::v1::Pod>().ListIn(space_)).items.size(),
              static_cast<std::size_t>(count_) * (kNodes + 2));
  }

  void Stop(ManagerBinary& manager) const {
    clock().SleepFor(2s);  // lint: allow sleep: events, the last that it writes
    EXPECT_TRUE(manager.process().Stop(clock(), 20s));
  }

  void HandOverAndBack(bool from_upstream) {
    {
      ManagerBinary first = Start(from_upstream, SilentFlags());
      ASSERT_TRUE(Eventually([&] { return IsFurnished(space_); })) << first.log();
      CreateAll();
      AwaitComplete();
      RollSome();
      BindClaims();
      ASSERT_FALSE(HasFailure()) << first.log();
      (void)AwaitSignOfLife(first);
      Stop(first);
    }
    ExpectRevisions();
    const auto versions = Versions();
    for (const bool upstream : {!from_upstream, from_upstream}) {
      SCOPED_TRACE(upstream ? "upstream's" : "ours");
      AuditLog log(real_plane().audit_log());
      (void)log.ReadOn();
      ManagerBinary next = Start(upstream, SilentFlags());
      const std::string probe = AwaitSignOfLife(next);
      clock().SleepFor(5s);  // lint: allow sleep: for what it may want to do later
      EXPECT_TRUE(next.process().Running()) << next.log();
      EXPECT_THAT(WritesSince(log, probe), IsEmpty());
      EXPECT_EQ(Versions(), versions);
      Stop(next);
    }
    std::cout << count_ << " DaemonSets and " << count_ << " StatefulSets: " << versions.size()
              << " objects as they were\n";
  }

  const int count_ = NumberFromEnvironment("FLYBALL_TAKEOVER_SETS", 6);
  SimulatedCluster simulated_{
      plane(),
      executor(),
      network(),
      {.nodes = kNodes,
       .shape = {.cpu = "500", .memory = "4000Gi", .ephemeral_storage = "4000Gi", .pods = "1000"},
       .timings = {.start = 100ms, .init = 0ms, .ready = 100ms, .stop = 100ms}}};
  const std::string space_ = NewNamespace();
};

TEST_F(SetTakeoverTest, FromUpstreamsToOursAndBackNothingIsWritten) { HandOverAndBack(true); }

TEST_F(SetTakeoverTest, FromOursToUpstreamsAndBackNothingIsWritten) { HandOverAndBack(false); }

}  // namespace
}  // namespace flyball::cluster

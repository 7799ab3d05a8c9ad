// Claims and volumes that were made under one manager, upstream's or ours, and are handed to the
// other and back: bound, waiting, released, and on their way out. At rest neither writes to any of
// them. Then half of what waits is given what it waits for, the manager is killed in the middle of
// that, and the one before it comes back and brings all of it to its end.
//
// FLYBALL_TAKEOVER_CLAIMS sets how many there are.

#include <map>
#include <string>
#include <vector>

#include "flyball/api/storage/v1.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cluster/number_from_environment.h"
#include "tests/cluster/simulated_cluster.h"
#include "tests/cluster/succession_test.h"

namespace flyball::cluster {
namespace {

using namespace std::chrono_literals;
using core::v1::PersistentVolume;
using core::v1::PersistentVolumeClaim;
using core::v1::Pod;
using testing::IsEmpty;

constexpr auto kPatience = 300s;

/// What a claim is like while nobody does anything.
enum class Rest : std::uint8_t {
  kBound,       // to a volume that was there
  kPromised,    // bound to a volume that was made for it by name
  kUnmatched,   // there is no volume for it
  kUnconsumed,  // its class waits for a pod
  kReleased,    // deleted; its volume is kept
  kInUse,       // deleted, while a pod uses it
};
constexpr int kKinds = 6;

class ClaimTakeoverTest : public SuccessionTest {
 protected:
  void SetUp() override {
    SuccessionTest::SetUp();
    Must(simulated_.Start());
    storage::v1::StorageClass late;
    late.metadata.name = Late();
    late.provisioner = "example.com/nobody";
    late.volumeBindingMode = "WaitForFirstConsumer";
    Must(All<storage::v1::StorageClass>().Create(late));
  }

  static Rest RestOf(int number) { return static_cast<Rest>(number % kKinds); }
  /// Every second one of each kind is moved on.
  static bool Moves(int number) { return number / kKinds % 2 == 0; }
  std::string Late() const { return space_ + "-late"; }
  static std::string ClaimName(int number) { return "claim-" + std::to_string(number); }
  std::string VolumeName(int number) const { return space_ + "-" + std::to_string(number); }
  static api::Quantity SizeOf(int number) {
    return *api::Quantity::Parse(std::to_string(number + 1) + "Mi");
  }

  void CreateVolume(int number) const {
    PersistentVolume volume;
    volume.metadata.name = VolumeName(number);
    volume.spec.capacity["storage"] = SizeOf(number);
    volume.spec.accessModes = {"ReadWriteOnce"};
    volume.spec.persistentVolumeReclaimPolicy = "Retain";
    volume.spec.hostPath.emplace().path = "/data";
    if (RestOf(number) == Rest::kPromised) {
      auto& reference = volume.spec.claimRef.emplace();
      reference.namespace_ = space_;
      reference.name = ClaimName(number);
    } else {
      volume.metadata.labels["for"] = ClaimName(number);
    }
    Must(All<PersistentVolume>().Create(volume));
  }
  void CreateClaim(int number) const {
    PersistentVolumeClaim claim;
    claim.metadata.namespace_ = space_;
    claim.metadata.name = ClaimName(number);
    claim.spec.accessModes = {"ReadWriteOnce"};
    claim.spec.resources.requests["storage"] = SizeOf(number);
    claim.spec.storageClassName = RestOf(number) == Rest::kUnconsumed ? Late() : "";
    if (RestOf(number) != Rest::kPromised && RestOf(number) != Rest::kUnconsumed) {
      claim.spec.selector.emplace().matchLabels["for"] = claim.metadata.name;
    }
    Must(All<PersistentVolumeClaim>().Create(claim));
  }
  void CreateUser(int number) const {
    Pod pod;
    pod.metadata.namespace_ = space_;
    pod.metadata.name = ClaimName(number);
    auto& volume = pod.spec.volumes.emplace_back();
    volume.name = "data";
    volume.persistentVolumeClaim.emplace().claimName = ClaimName(number);
    auto& container = pod.spec.containers.emplace_back();
    container.name = "only";
    container.image = "registry.example.com/app:1";
    Must(All<Pod>().Create(pod));
  }

  void CreateAll() const {
    for (int i = 0; i < count_; ++i) {
      const Rest rest = RestOf(i);
      if (rest != Rest::kUnmatched && rest != Rest::kUnconsumed) CreateVolume(i);
      CreateClaim(i);
      if (rest == Rest::kInUse) CreateUser(i);
    }
    Await([&](int i, const PersistentVolumeClaim* claim, const PersistentVolume* volume) {
      if (RestOf(i) == Rest::kUnmatched || RestOf(i) == Rest::kUnconsumed) {
        return claim != nullptr && claim->status.phase == "Pending";
      }
      const bool used = RestOf(i) != Rest::kInUse || IsRunning(i);
      return IsBound(claim, volume) && used;
    });
    for (int i = 0; i < count_; ++i) {
      if (RestOf(i) != Rest::kReleased && RestOf(i) != Rest::kInUse) continue;
      Must(All<PersistentVolumeClaim>().Delete({space_, ClaimName(i)}));
    }
  }
  bool IsRunning(int number) const {
    const auto pod = All<Pod>().Get({space_, ClaimName(number)});
    return pod && pod->status.phase == "Running";
  }
  static bool IsBound(const PersistentVolumeClaim* claim, const PersistentVolume* volume) {
    return claim != nullptr && volume != nullptr && claim->status.phase == "Bound" &&
           volume->status.phase == "Bound" && volume->spec.claimRef &&
           volume->spec.claimRef->uid == claim->metadata.uid &&
           claim->spec.volumeName == volume->metadata.name;
  }
  static bool IsReleased(const PersistentVolumeClaim* claim, const PersistentVolume* volume) {
    return claim == nullptr && volume != nullptr && volume->status.phase == "Released";
  }

  /// Whether a claim is as it stays.
  static bool IsAtRest(int number, const PersistentVolumeClaim* claim,
                       const PersistentVolume* volume) {
    switch (RestOf(number)) {
      case Rest::kBound:
      case Rest::kPromised:
        return IsBound(claim, volume);
      case Rest::kUnmatched:
      case Rest::kUnconsumed:
        return claim != nullptr && volume == nullptr && claim->status.phase == "Pending";
      case Rest::kReleased:
        return IsReleased(claim, volume);
      case Rest::kInUse:
        return IsBound(claim, volume) && claim->metadata.deletionTimestamp;
    }
    return false;
  }
  /// And whether it is as it must be, in the end, once things have moved.
  static bool HasMoved(int number, const PersistentVolumeClaim* claim,
                       const PersistentVolume* volume) {
    if (!Moves(number)) return IsAtRest(number, claim, volume);
    switch (RestOf(number)) {
      case Rest::kBound:
      case Rest::kPromised:
      case Rest::kInUse:
        return IsReleased(claim, volume);
      case Rest::kUnmatched:
        return IsBound(claim, volume);
      case Rest::kUnconsumed:
      case Rest::kReleased:
        return claim == nullptr && volume == nullptr;
    }
    return false;
  }
  /// Gives those that move what they wait for, and takes others away.
  void MoveAll() const {
    for (int i = 0; i < count_; ++i) {
      if (!Moves(i)) continue;
      switch (RestOf(i)) {
        case Rest::kBound:
        case Rest::kPromised:
        case Rest::kUnconsumed:
          Must(All<PersistentVolumeClaim>().Delete({space_, ClaimName(i)}));
          break;
        case Rest::kUnmatched:
          CreateVolume(i);
          break;
        case Rest::kReleased:
          Must(All<PersistentVolume>().Delete({"", VolumeName(i)}));
          break;
        case Rest::kInUse:
          Must(All<Pod>().Delete({space_, ClaimName(i)}));
          break;
      }
    }
  }

  template <typename Condition>
  void Await(const Condition& so) const {
    std::vector<std::string> missing;
    const auto all = [&] {
      missing.clear();
      const auto claims = Named<PersistentVolumeClaim>(space_);
      const auto volumes = Named<PersistentVolume>("");
      const auto find = [](const auto& named, const std::string& name) {
        const auto found = named.find(name);
        return found == named.end() ? nullptr : &found->second;
      };
      for (int i = 0; i < count_; ++i) {
        if (!so(i, find(claims, ClaimName(i)), find(volumes, VolumeName(i)))) {
          missing.push_back(ClaimName(i));
        }
      }
      return missing.empty();
    };
    EXPECT_TRUE(Eventually(all, kPatience));
    EXPECT_THAT(missing, IsEmpty());
  }
  template <typename T>
  std::map<std::string, T> Named(const std::string& space) const {
    std::map<std::string, T> named;
    for (auto& one : Must(All<T>().ListIn(space)).items) {
      named.emplace(one.metadata.name, std::move(one));
    }
    return named;
  }

  /// What has not changed has not been written, whoever might have.
  std::map<std::string, std::string> Versions() const {
    std::map<std::string, std::string> versions;
    const auto add = [&](const auto& named) {
      for (const auto& [name, one] : named) {
        versions[name] = one.metadata.uid + " " + one.metadata.resourceVersion;
      }
    };
    add(Named<PersistentVolumeClaim>(space_));
    add(Named<PersistentVolume>(""));
    return versions;
  }
  /// But for the reminders that every manager gives of claims that wait.
  static std::vector<std::string> WritesButReminders(AuditLog& log, const std::string& probe) {
    std::vector<std::string> written = WritesSince(log, probe);
    std::erase_if(written, [](const std::string& one) {
      return one.contains(":persistent-volume-binder: ") && one.contains(" events");
    });
    return written;
  }

  void HandOverAndBack(bool from_upstream) {
    {
      ManagerBinary first = Start(from_upstream, SilentFlags());
      ASSERT_TRUE(Eventually([&] { return IsFurnished(space_); })) << first.log();
      CreateAll();
      Await(IsAtRest);
      ASSERT_FALSE(HasFailure()) << first.log();
      (void)AwaitSignOfLife(first);
      clock().SleepFor(2s);  // lint: allow sleep: events, the last that it writes
      EXPECT_TRUE(first.process().Stop(clock(), 20s));
    }
    const auto versions = Versions();
    {
      AuditLog log(real_plane().audit_log());
      (void)log.ReadOn();
      ManagerBinary second = Start(!from_upstream, SilentFlags());
      const std::string probe = AwaitSignOfLife(second);
      clock().SleepFor(5s);  // lint: allow sleep: for what it may want to do later
      EXPECT_TRUE(second.process().Running()) << second.log();
      EXPECT_THAT(WritesButReminders(log, probe), IsEmpty());
      EXPECT_EQ(Versions(), versions);
      MoveAll();
      second.process().Kill();
    }
    ManagerBinary third = Start(from_upstream, SilentFlags());
    Await(HasMoved);
    EXPECT_TRUE(third.process().Stop(clock(), 20s)) << third.log();
    std::cout << count_ << " claims: " << versions.size() << " objects as they were, then "
              << Versions().size() << " as they had to become\n";
  }

  const int count_ = NumberFromEnvironment("FLYBALL_TAKEOVER_CLAIMS", 36);
  SimulatedCluster simulated_{
      plane(),
      executor(),
      network(),
      {.nodes = 2,
       .shape = {.cpu = "500", .memory = "4000Gi", .ephemeral_storage = "4000Gi", .pods = "1000"},
       .timings = {.start = 100ms, .init = 0ms, .ready = 100ms, .stop = 100ms}}};
  const std::string space_ = NewNamespace();
};

TEST_F(ClaimTakeoverTest, FromUpstreamsToOursAndBackAllIsKeptAndAllMovesOn) {
  HandOverAndBack(true);
}

TEST_F(ClaimTakeoverTest, FromOursToUpstreamsAndBackAllIsKeptAndAllMovesOn) {
  HandOverAndBack(false);
}

}  // namespace
}  // namespace flyball::cluster

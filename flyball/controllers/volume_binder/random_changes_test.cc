#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "flyball/controllers/common/internal/controller_fixture.h"
#include "flyball/controllers/volume_binder/controller.h"
#include "flyball/controllers/volume_binder/internal/binder_fake.h"
#include "flyball/controllers/volume_binder/volume_match.h"
#include "flyball/runtime/event_recorder_fake.h"

namespace flyball::controllers::volume_binder {
namespace {

using sandbox::Requests;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::IsEmpty;

/// Claims and volumes that come and go by chance, while answers are lost and watches are late: in
/// the end each claim has what it can have, and nobody has anything twice.
class RandomVolumes : public ControllerFixture, public testing::WithParamInterface<unsigned> {
 protected:
  RandomVolumes() { CreateNamespace("team"); }

  template <typename T>
  std::vector<T> ListAll() {
    auto listed = All<T>().ListIn("");
    EXPECT_TRUE(listed) << listed.error().Describe();
    return listed ? std::move(listed->items) : std::vector<T>();
  }
  unsigned Below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }
  std::string Size() { return std::to_string(1 + Below(8)) + "Gi"; }
  std::string Class() { return Below(3) == 0 ? "fast" : "slow"; }

  void CreateClaim() {
    PersistentVolumeClaim claim = Claim("data-" + std::to_string(++made_), Size());
    claim.metadata.uid.clear();
    claim.metadata.resourceVersion.clear();
    claim.spec.storageClassName = Class();
    if (Below(5) == 0) claim.spec.volumeName = "disk-" + std::to_string(Below(made_ + 1));
    EXPECT_TRUE(All<PersistentVolumeClaim>().Create(claim));
  }
  void CreateVolume() {
    PersistentVolume volume = Free("disk-" + std::to_string(++made_), Size());
    volume.spec.storageClassName = Class();
    volume.spec.csi.emplace().driver = "example.com";
    volume.spec.csi->volumeHandle = "it";
    if (Below(3) == 0) volume.spec.accessModes.emplace_back("ReadOnlyMany");
    if (Below(6) == 0) {
      volume = MeantFor(volume, Claim("data-" + std::to_string(Below(made_ + 1)), "1Gi"));
    }
    EXPECT_TRUE(All<PersistentVolume>().Create(volume));
  }
  template <typename T>
  void RemoveOne() {
    auto all = ListAll<T>();
    if (all.empty()) return;
    T& one = all[Below(static_cast<unsigned>(all.size()))];
    one.metadata.finalizers.clear();
    // Somebody may have written it meanwhile; then it stays.
    if (!All<T>().Update(one)) return;
    EXPECT_TRUE(All<T>().Delete(api::ObjectKey::Of(one)));
  }
  void ChangeSomething() {
    const unsigned what = Below(10);
    if (what < 4) {
      CreateClaim();
    } else if (what < 8) {
      CreateVolume();
    } else if (what < 9) {
      RemoveOne<PersistentVolumeClaim>();
    } else {
      RemoveOne<PersistentVolume>();
    }
  }

  /// What is not as it should be when all is quiet.
  std::vector<std::string> Wrongs() {
    const auto claims = ListAll<PersistentVolumeClaim>();
    const auto volumes = ListAll<PersistentVolume>();
    std::vector<std::string> wrongs;
    std::map<std::string, const PersistentVolume*> by_name;
    std::map<std::string, const PersistentVolumeClaim*> by_uid;
    for (const auto& volume : volumes) by_name[volume.metadata.name] = &volume;
    for (const auto& claim : claims) by_uid[claim.metadata.uid] = &claim;
    for (const auto& claim : claims) {
      const auto found = by_name.find(claim.spec.volumeName);
      const auto* const volume = found == by_name.end() ? nullptr : found->second;
      if (auto wrong = WrongWith(claim, volume, volumes); !wrong.empty()) {
        wrongs.push_back("claim " + claim.metadata.name + ": " + wrong);
      }
    }
    for (const auto& volume : volumes) {
      if (auto wrong = WrongWith(volume, by_uid); !wrong.empty()) {
        wrongs.push_back("volume " + volume.metadata.name + ": " + wrong);
      }
    }
    return wrongs;
  }

 private:
  static std::string WrongWith(const PersistentVolumeClaim& claim, const PersistentVolume* volume,
                               const std::vector<PersistentVolume>& all) {
    const bool completed = HasAnnotation(claim, kBindCompleted);
    if (claim.status.phase == "Bound") {
      if (volume == nullptr || !completed) return "bound to nothing";
      if (!volume->spec.claimRef || volume->spec.claimRef->uid != claim.metadata.uid) {
        return "bound to a volume that is not its own";
      }
      return volume->status.phase == "Bound" ? "" : "bound, and its volume is not";
    }
    if (claim.status.phase == "Lost") return completed && volume == nullptr ? "" : "lost nothing";
    if (completed) return "bound, and does not say so";
    for (const auto& other : all) {
      const bool named =
          claim.spec.volumeName.empty() || claim.spec.volumeName == other.metadata.name;
      const bool free =
          other.status.phase == "Available" && (!other.spec.claimRef || IsMeantFor(other, claim));
      if (named && free && !Misfit(other, claim)) return "could have " + other.metadata.name;
    }
    return "";
  }
  static std::string WrongWith(const PersistentVolume& volume,
                               const std::map<std::string, const PersistentVolumeClaim*>& claims) {
    const auto& reference = volume.spec.claimRef;
    if (!reference || reference->uid.empty()) {
      return volume.status.phase == "Available" ? "" : "nobody's, and " + volume.status.phase;
    }
    const auto claim = claims.find(reference->uid);
    if (claim == claims.end()) {
      return volume.status.phase == "Released" ? "" : "its claim is gone, and it is not released";
    }
    if (claim->second->spec.volumeName != volume.metadata.name) return "its claim has another";
    return volume.status.phase == "Bound" ? "" : "not bound, and has a claim";
  }

  std::mt19937 random_{GetParam()};
  unsigned made_ = 0;
};

TEST_P(RandomVolumes, EachClaimHasWhatItCanHaveAndNobodyHasAnythingTwice) {
  auto late = faults_.OnEvents(Requests::Watches()).Every(5).Delay(milliseconds(700));
  auto lost = faults_.On(Requests::Updates()).Every(9).LoseAnswer();
  auto refused = faults_.On(Requests::Updates()).Every(11).Refuse(409);
  runtime::FakeEventRecorder events;
  auto all = deps();
  all.events = events.Maker();
  Play(Make(all, {}), [&] {
    for (int i = 0; i < 60; ++i) {
      ChangeSomething();
      if (Below(3) == 0) Pass(milliseconds(Below(2000)));
    }
    faults_.LiftAll();
    Pass(std::chrono::minutes(5));
    EXPECT_THAT(Wrongs(), IsEmpty());
    TakeRequests();
    Pass(seconds(60));
    EXPECT_THAT(TakeRequests(), IsEmpty());
  });
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomVolumes, testing::Range(1U, 13U));

}  // namespace
}  // namespace flyball::controllers::volume_binder

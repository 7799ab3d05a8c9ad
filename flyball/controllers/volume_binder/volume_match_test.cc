#include "flyball/controllers/volume_binder/volume_match.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "flyball/controllers/volume_binder/internal/binder_fake.h"

namespace flyball::controllers::volume_binder {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

/// Volumes as a cache has them, that counts how often it is asked and how many are looked at.
class Volumes {
 public:
  void Add(const PersistentVolume& volume) {
    const auto shared = std::make_shared<const PersistentVolume>(volume);
    for (const std::string& key : MatchKeysOf(volume)) by_key_[key].push_back(shared);
  }
  std::string MatchOf(const PersistentVolumeClaim& claim, bool delayed = false) {
    const auto match =
        FindMatch(claim, delayed,
                  {.any = [this](const std::string& key) { return !Ask(key).empty(); },
                   .all =
                       [this](const std::string& key) {
                         auto found = Ask(key);
                         looked_at_ += found.size();
                         return found;
                       }});
    if (!match) return match.error().Describe();
    return *match ? (*match)->metadata.name : "none";
  }
  std::size_t looked_at() const { return looked_at_; }
  std::size_t asked() const { return asked_; }

 private:
  std::vector<VolumeRef> Ask(const std::string& key) {
    ++asked_;
    const auto found = by_key_.find(key);
    return found == by_key_.end() ? std::vector<VolumeRef>() : found->second;
  }

  std::map<std::string, std::vector<VolumeRef>> by_key_;
  std::size_t looked_at_ = 0;
  std::size_t asked_ = 0;
};

std::string MatchAmong(const std::vector<PersistentVolume>& all, const PersistentVolumeClaim& claim,
                       bool delayed = false) {
  Volumes volumes;
  for (const auto& volume : all) volumes.Add(volume);
  return volumes.MatchOf(claim, delayed);
}

TEST(VolumeMatch, TheSmallestThatIsLargeEnough) {
  const auto claim = Claim("data", "3Gi");
  EXPECT_EQ(
      MatchAmong({Free("a", "10Gi"), Free("b", "5Gi"), Free("c", "2Gi"), Free("d", "4Gi")}, claim),
      "d");
  EXPECT_EQ(MatchAmong({Free("a", "3Gi"), Free("b", "4Gi")}, claim), "a");
  EXPECT_EQ(MatchAmong({Free("a", "2Gi"), Free("b", "2999Mi")}, claim), "none");
  EXPECT_EQ(MatchAmong({Free("b", "3Gi"), Free("a", "3Gi")}, claim), "a");
  EXPECT_EQ(MatchAmong({Free("a", "1Ei")}, claim), "a");
}

TEST(VolumeMatch, ClassModeAndAttributesAreTheSame) {
  const auto claim = Claim("data", "1Gi");
  const auto other = [](const auto& change) {
    PersistentVolume volume = Free("a", "1Gi");
    change(volume);
    return volume;
  };
  EXPECT_EQ(MatchAmong({other([](auto& v) { v.spec.storageClassName = "fast"; })}, claim), "none");
  EXPECT_EQ(MatchAmong({other([](auto& v) { v.spec.volumeMode = "Block"; })}, claim), "none");
  EXPECT_EQ(MatchAmong({other([](auto& v) { v.spec.volumeAttributesClassName = "gold"; })}, claim),
            "none");
  // What is not said is a file system, and an annotation goes before the field.
  EXPECT_EQ(MatchAmong({other([](auto& v) { v.spec.volumeMode = "Filesystem"; })}, claim), "a");
  EXPECT_EQ(MatchAmong({other([](auto& v) {
                         v.spec.storageClassName = "fast";
                         v.metadata.annotations[kBetaClass] = "slow";
                       })},
                       claim),
            "a");
  EXPECT_EQ(MatchAmong({other([](auto& v) { v.spec.volumeAttributesClassName = ""; })}, claim),
            "a");
}

TEST(VolumeMatch, OnlyWhatIsAvailableAndStays) {
  const auto claim = Claim("data", "1Gi");
  for (const char* const phase : {"Pending", "Released", "Failed", "Bound"}) {
    PersistentVolume volume = Free("a", "1Gi");
    volume.status.phase = phase;
    EXPECT_EQ(MatchAmong({volume}, claim), "none") << phase;
  }
  PersistentVolume volume = Free("a", "1Gi");
  volume.metadata.deletionTimestamp = api::Time(WallTime());
  EXPECT_EQ(MatchAmong({volume}, claim), "none");
  EXPECT_EQ(MatchAmong({MeantFor(Free("a", "1Gi"), Claim("other", "1Gi"))}, claim), "none");
}

TEST(VolumeMatch, FewerAccessModesGoBeforeASmallerSize) {
  auto both = Free("both", "1Gi");
  both.spec.accessModes = {"ReadWriteOnce", "ReadWriteMany"};
  auto once = Free("once", "9Gi");
  auto read = Free("read", "1Gi");
  read.spec.accessModes = {"ReadOnlyMany"};
  EXPECT_EQ(MatchAmong({both, once, read}, Claim("data", "1Gi")), "once");
  auto many = Claim("data", "1Gi");
  many.spec.accessModes = {"ReadWriteMany"};
  EXPECT_EQ(MatchAmong({both, once, read}, many), "both");
  many.spec.accessModes = {"ReadWriteMany", "ReadOnlyMany"};
  EXPECT_EQ(MatchAmong({both, once, read}, many), "none");
}

TEST(VolumeMatch, WithTheLabelsThatAClaimSelects) {
  auto claim = Claim("data", "1Gi");
  claim.spec.selector.emplace().matchLabels["zone"] = "a";
  auto there = Free("there", "5Gi");
  there.metadata.labels["zone"] = "a";
  EXPECT_EQ(MatchAmong({Free("small", "1Gi"), there}, claim), "there");
  auto& expression = claim.spec.selector->matchExpressions.emplace_back();
  expression.key = "zone";
  expression.operator_ = "Near";
  EXPECT_THAT(MatchAmong({there}, claim), testing::HasSubstr("matchExpressions[0]"));
}

TEST(VolumeMatch, OneThatIsMeantForAClaimGoesBeforeOthersOfItsModes) {
  const auto claim = Claim("data", "1Gi");
  EXPECT_EQ(MatchAmong({Free("a", "1Gi"), MeantFor(Free("mine", "9Gi"), claim)}, claim), "mine");
  // Nor need it be of the class, have the labels or be available.
  auto mine = MeantFor(Free("mine", "9Gi"), claim);
  mine.spec.storageClassName = "fast";
  mine.status.phase = "Released";
  EXPECT_EQ(MatchAmong({Free("a", "1Gi"), mine}, claim), "mine");
  // But others with fewer modes go before it.
  mine.spec.accessModes = {"ReadWriteOnce", "ReadWriteMany"};
  EXPECT_EQ(MatchAmong({Free("a", "1Gi"), mine}, claim), "a");
}

TEST(VolumeMatch, OneThatIsMeantForAClaimMustDoForIt) {
  const auto claim = Claim("data", "2Gi");
  EXPECT_EQ(MatchAmong({MeantFor(Free("a", "1Gi"), claim)}, claim), "none");
  auto mine = MeantFor(Free("a", "2Gi"), claim);
  EXPECT_EQ(MatchAmong({mine}, claim), "a");
  mine.spec.volumeMode = "Block";
  EXPECT_EQ(MatchAmong({mine}, claim), "none");
  mine = MeantFor(Free("a", "2Gi"), claim);
  mine.spec.claimRef->uid = "of-another";
  EXPECT_EQ(MatchAmong({mine}, claim), "none");
  mine.spec.claimRef->uid = claim.metadata.uid;
  EXPECT_EQ(MatchAmong({mine}, claim), "a");
  mine.metadata.deletionTimestamp = api::Time(WallTime());
  EXPECT_EQ(MatchAmong({mine}, claim), "none");
}

TEST(VolumeMatch, AClaimThatWaitsGetsOnlyWhatIsMeantForIt) {
  const auto claim = Claim("data", "1Gi");
  EXPECT_EQ(MatchAmong({Free("a", "1Gi")}, claim, /*delayed=*/true), "none");
  EXPECT_EQ(MatchAmong({Free("a", "1Gi"), MeantFor(Free("mine", "1Gi"), claim)}, claim, true),
            "mine");
}

TEST(VolumeMatch, UnknownAccessModesMatchNothing) {
  auto claim = Claim("data", "1Gi");
  auto odd = Free("odd", "1Gi");
  odd.spec.accessModes = {"Sometimes"};
  EXPECT_THAT(MatchKeysOf(odd), IsEmpty());
  claim.spec.accessModes = {"Sometimes"};
  EXPECT_EQ(MatchAmong({Free("a", "1Gi")}, claim), "none");
}

/// Of each kind so many: of another class, of another mode, too small, somebody's, with too few
/// access modes.
void AddUnfit(Volumes& volumes, int count) {
  for (int i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    auto volume = Free("other-class-" + number, "5Gi");
    volume.spec.storageClassName = "fast";
    volumes.Add(volume);
    volume = Free("block-" + number, "5Gi");
    volume.spec.volumeMode = "Block";
    volumes.Add(volume);
    volumes.Add(Free("too-small-" + number, "1Gi"));
    volume = Free("bound-" + number, "5Gi");
    volume.status.phase = "Bound";
    volumes.Add(MeantFor(volume, Claim("other-" + number, "5Gi")));
    volume = Free("read-" + number, "5Gi");
    volume.spec.accessModes = {"ReadOnlyMany"};
    volumes.Add(volume);
  }
}

TEST(VolumeMatch, WhatCannotMatchIsNotLookedAt) {
  Volumes volumes;
  AddUnfit(volumes, 1000);
  for (int i = 0; i < 1000; ++i) volumes.Add(Free("far-too-large-" + std::to_string(i), "1Ti"));
  volumes.Add(Free("right", "5Gi"));
  EXPECT_EQ(volumes.MatchOf(Claim("data", "4Gi")), "right");
  EXPECT_EQ(volumes.looked_at(), 1U);
}

TEST(VolumeMatch, ToFindNothingTakesNoMoreAmongManyThatCannotMatch) {
  Volumes few;
  Volumes many;
  AddUnfit(few, 1);
  AddUnfit(many, 1000);
  const auto claim = Claim("data", "4Gi");
  EXPECT_EQ(few.MatchOf(claim), "none");
  EXPECT_EQ(many.MatchOf(claim), "none");
  EXPECT_EQ(many.looked_at(), 0U);
  EXPECT_EQ(many.asked(), few.asked());
}

TEST(VolumeMatch, ToFindNothingAmongNothingTakesTwoQuestions) {
  Volumes none;
  EXPECT_EQ(none.MatchOf(Claim("data", "4Gi")), "none");
  EXPECT_EQ(none.asked(), 2U);
}

TEST(VolumeMisfit, SaysWhyAVolumeThatIsNamedDoesNotDo) {
  const auto claim = Claim("data", "2Gi");
  const auto why = [&](const auto& change) {
    PersistentVolume volume = Free("a", "2Gi");
    change(volume);
    return Misfit(volume, claim).value_or("");
  };
  EXPECT_EQ(why([](auto&) {}), "");
  EXPECT_EQ(why([](auto& v) { v.metadata.deletionTimestamp = api::Time(WallTime()); }),
            "the volume is marked for deletion \"a\"");
  EXPECT_EQ(why([](auto& v) { v.spec.capacity["storage"] = *api::Quantity::Parse("1Gi"); }),
            "requested PV is too small");
  EXPECT_EQ(why([](auto& v) { v.spec.storageClassName = ""; }), "storageClassName does not match");
  EXPECT_EQ(why([](auto& v) { v.spec.volumeAttributesClassName = "gold"; }),
            "volumeAttributesClassName does not match");
  EXPECT_EQ(why([](auto& v) { v.spec.volumeMode = "Block"; }), "incompatible volumeMode");
  EXPECT_EQ(why([](auto& v) { v.spec.accessModes = {"ReadOnlyMany"}; }), "incompatible accessMode");
}

}  // namespace
}  // namespace flyball::controllers::volume_binder

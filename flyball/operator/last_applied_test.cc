#include "flyball/operator/last_applied.h"

#include <gtest/gtest.h>

namespace flyball {
namespace {

constexpr std::uint64_t kDesired = 42;

/// What the cache has: version 7 of an object that is the owner's.
meta::v1::ObjectMeta Ours() {
  meta::v1::ObjectMeta metadata;
  metadata.name = "web";
  metadata.resourceVersion = "7";
  meta::v1::OwnerReference& owner = metadata.ownerReferences.emplace_back();
  owner.kind = "Website";
  owner.name = "web";
  owner.uid = "owner";
  owner.controller = true;
  return metadata;
}

ApplyStep Decided(const meta::v1::ObjectMeta& existing, const std::optional<LastApplied>& last) {
  const auto step = DecideApply(&existing, "owner", kDesired, last);
  EXPECT_TRUE(step);
  return step.value_or(ApplyStep::kNothing);
}

TEST(DecideApply, CreatesWhatIsNotThere) {
  EXPECT_EQ(DecideApply(nullptr, "owner", kDesired, {}), ApplyStep::kCreate);
  EXPECT_EQ(DecideApply(nullptr, "owner", kDesired, LastApplied{kDesired, "7"}),
            ApplyStep::kCreate);
}

TEST(DecideApply, SendsOnceWhatItDoesNotRemember) {
  EXPECT_EQ(Decided(Ours(), {}), ApplyStep::kTakeBack);
}

TEST(DecideApply, SendsWhatIsWantedOtherwiseThanBefore) {
  EXPECT_EQ(Decided(Ours(), LastApplied{kDesired + 1, "7"}), ApplyStep::kTakeBack);
}

TEST(DecideApply, LeavesWhatTheServerMadeOfIt) {
  EXPECT_EQ(Decided(Ours(), LastApplied{kDesired, "7"}), ApplyStep::kNothing);
}

TEST(DecideApply, LooksAtWhatHasChangedSince) {
  EXPECT_EQ(Decided(Ours(), LastApplied{kDesired, "6"}), ApplyStep::kCompare);
}

TEST(DecideApply, WaitsUntilWhatIsBeingDeletedHasGone) {
  meta::v1::ObjectMeta going = Ours();
  going.deletionTimestamp = api::Time();
  EXPECT_EQ(Decided(going, {}), ApplyStep::kNothing);
}

TEST(DecideApply, RefusesWhatIsNobodysOrAnothers) {
  meta::v1::ObjectMeta existing = Ours();
  existing.ownerReferences[0].uid = "other";
  auto refused = DecideApply(&existing, "owner", kDesired, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kAlreadyExists);
  EXPECT_EQ(refused.error().message(), "web already exists and is controlled by Website web");
  existing.ownerReferences[0].controller = false;
  refused = DecideApply(&existing, "owner", kDesired, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(), "web already exists and has no controller");
}

TEST(LastAppliedCache, ForgetsWithTheOwner) {
  LastAppliedCache memory;
  const api::ObjectKey owner{"default", "web"};
  EXPECT_FALSE(memory.Find(owner, "services web"));
  memory.Remember(owner, "services web", {kDesired, "7"});
  memory.Remember(owner, "services web", {kDesired, "8"});
  EXPECT_EQ(memory.Find(owner, "services web")->settled, "8");
  EXPECT_FALSE(memory.Find(owner, "configmaps web"));
  memory.Forget(owner);
  EXPECT_FALSE(memory.Find(owner, "services web"));
  EXPECT_EQ(memory.owners(), 0U);
}

}  // namespace
}  // namespace flyball

#include "flyball/controllers/garbage_collector/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "flyball/api/time.h"
#include "flyball/base/clock.h"

namespace flyball::controllers::garbage_collector {
namespace {

using meta::v1::ObjectMeta;
using enum OwnerState;

/// One with so many owners, whose uids are "uid-0" and so on.
ObjectMeta WithOwners(std::size_t owners, std::vector<std::string> finalizers = {}) {
  ObjectMeta object;
  object.name = "object";
  object.finalizers = std::move(finalizers);
  for (std::size_t i = 0; i < owners; ++i) {
    object.ownerReferences.emplace_back().uid = "uid-" + std::to_string(i);
  }
  return object;
}

Plan PlanWith(const std::vector<OwnerState>& owners, const Neighbours& neighbours = {},
              const std::vector<std::string>& finalizers = {}) {
  return PlanFor(WithOwners(owners.size(), finalizers), owners, neighbours);
}

Plan Leave(std::string_view reason) { return {.reason = reason}; }
Plan Remove(std::vector<std::string> uids) {
  return {.action = Plan::Action::kRemoveReferences,
          .remove = std::move(uids),
          .reason = "an owner of it is there, others are not or are to go"};
}
Plan Delete(std::string_view propagation, std::string_view reason = "none of its owners is there") {
  return {.action = Plan::Action::kDelete, .propagation = propagation, .reason = reason};
}

TEST(GarbageCollectorPlan, AnOwnerThatIsThereKeepsAnObject) {
  EXPECT_EQ(PlanWith({}), Leave("it has no owner"));
  EXPECT_EQ(PlanWith({kSolid}), Leave("an owner of it is there"));
  EXPECT_EQ(PlanWith({kSolid, kSolid}), Leave("an owner of it is there"));
}

TEST(GarbageCollectorPlan, AnObjectThatIsKeptLosesTheOwnersThatAreNotThereOrWaitForIt) {
  EXPECT_EQ(PlanWith({kDangling, kSolid}), Remove({"uid-0"}));
  EXPECT_EQ(PlanWith({kSolid, kWaiting}), Remove({"uid-1"}));
  EXPECT_EQ(PlanWith({kWaiting, kDangling, kSolid, kDangling}),
            Remove({"uid-1", "uid-3", "uid-0"}));
  EXPECT_EQ(PlanWith({kSolid, kWaiting}, {.has_dependents = true, .has_waiting_dependent = true}),
            Remove({"uid-1"}));
}

TEST(GarbageCollectorPlan, AnObjectWithoutAnyOwnerGoesAsItsFinalizersSay) {
  EXPECT_EQ(PlanWith({kDangling}), Delete("Background"));
  EXPECT_EQ(PlanWith({kDangling, kDangling}, {.has_dependents = true}), Delete("Background"));
  EXPECT_EQ(PlanWith({kDangling}, {}, {"example.com/mine"}), Delete("Background"));
  EXPECT_EQ(PlanWith({kDangling}, {}, {"foregroundDeletion"}), Delete("Foreground"));
  EXPECT_EQ(PlanWith({kDangling}, {}, {"foregroundDeletion", "orphan"}), Delete("Orphan"));
}

TEST(GarbageCollectorPlan, AnOwnerThatWaitsTakesItsDependentsAlong) {
  EXPECT_EQ(PlanWith({kWaiting}), Delete("Background", "an owner of it waits for it to go"));
  EXPECT_EQ(PlanWith({kWaiting, kDangling}, {}, {"orphan"}),
            Delete("Orphan", "an owner of it waits for it to go"));
  EXPECT_EQ(PlanWith({kDangling, kWaiting}, {.has_dependents = true}, {"orphan"}),
            Delete("Foreground", "an owner of it waits for it to go, and it has dependents"));
}

TEST(GarbageCollectorPlan, WhatMayBeACircleIsUnblockedFirst) {
  EXPECT_EQ(PlanWith({kWaiting}, {.has_dependents = true, .has_waiting_dependent = true}),
            (Plan{.action = Plan::Action::kDelete,
                  .unblock = true,
                  .propagation = "Foreground",
                  .reason = "an owner of it waits for it to go, and it has dependents"}));
}

TEST(GarbageCollectorPlan, WhatIsBeingDeletedIsLeftAlone) {
  ObjectMeta object = WithOwners(1);
  object.deletionTimestamp = api::Time(WallTime(std::chrono::seconds(1)));
  const OwnerState gone[] = {kDangling};
  EXPECT_EQ(PlanFor(object, gone, {}), Leave("it is being deleted"));
}

TEST(GarbageCollectorPlan, AnOwnerWaitsIfItIsBeingDeletedInTheForeground) {
  ObjectMeta owner;
  EXPECT_EQ(StateOf(owner), kSolid);
  owner.finalizers = {"foregroundDeletion"};
  EXPECT_EQ(StateOf(owner), kSolid);
  owner.deletionTimestamp = api::Time(WallTime(std::chrono::seconds(1)));
  EXPECT_EQ(StateOf(owner), kWaiting);
  owner.finalizers = {"orphan"};
  EXPECT_EQ(StateOf(owner), kSolid) << "its dependents are to stay";
}

TEST(GarbageCollectorPlan, SaysWhatItWantsAndWhy) {
  EXPECT_EQ(PlanWith({}).ToString(), "leave it: it has no owner");
  EXPECT_EQ(PlanWith({kSolid, kDangling}).ToString(),
            "remove 1 references: an owner of it is there, others are not or are to go");
  EXPECT_EQ(PlanWith({kDangling}).ToString(),
            "delete it (Background): none of its owners is there");
  EXPECT_EQ(
      PlanWith({kWaiting}, {.has_dependents = true, .has_waiting_dependent = true}).ToString(),
      "delete it (Foreground, unblocked first): an owner of it waits for it to go, and it has "
      "dependents");
}

}  // namespace
}  // namespace flyball::controllers::garbage_collector

#include "flyball/controllers/common/slice_packing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <string>

namespace flyball::controllers::common {
namespace {

using discovery::v1::Endpoint;
using discovery::v1::EndpointSlice;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

Endpoint EndpointOf(const std::string& pod, bool ready = true) {
  Endpoint endpoint;
  endpoint.addresses = {"address of " + pod};
  endpoint.conditions.ready = ready;
  endpoint.targetRef.emplace().name = pod;
  return endpoint;
}

SliceRef Slice(const std::string& name, const std::vector<std::string>& pods) {
  EndpointSlice slice;
  slice.metadata.name = name;
  slice.metadata.resourceVersion = "7";
  slice.metadata.labels = {{"app", "web"}};
  slice.addressType = "IPv4";
  for (const std::string& pod : pods) slice.endpoints.push_back(EndpointOf(pod));
  return std::make_shared<const EndpointSlice>(slice);
}

EndpointSlice Fresh() {
  EndpointSlice slice;
  slice.metadata.generateName = "web-";
  slice.metadata.labels = {{"app", "web"}};
  slice.addressType = "IPv4";
  return slice;
}

EndpointSet Set(const std::vector<std::string>& pods) {
  EndpointSet set;
  for (const std::string& pod : pods) set.Insert(EndpointOf(pod));
  return set;
}

PackingRules AtMost(std::size_t most) {
  return {.most_in_a_slice = most, .has_its_labels = [](const EndpointSlice& slice) {
            return slice.metadata.labels == Fresh().metadata.labels;
          }};
}

/// Slices by their names, "new" for those that have none, with the pods in them.
std::vector<std::string> Told(const std::vector<EndpointSlice>& slices) {
  std::vector<std::string> told;
  for (const EndpointSlice& slice : slices) {
    std::string text = (slice.metadata.name.empty() ? "new" : slice.metadata.name) + ":";
    for (const Endpoint& endpoint : slice.endpoints) text += " " + endpoint.targetRef->name;
    told.push_back(text);
  }
  return told;
}

TEST(SlicePacking, MakesSlicesThatAreFull) {
  const Packed packed = Pack({}, Set({"a", "b", "c", "d", "e"}), Fresh(), AtMost(2));
  EXPECT_THAT(Told(packed.changes.to_create), ElementsAre("new: a b", "new: c d", "new: e"));
  EXPECT_THAT(packed.changes.to_update, IsEmpty());
  EXPECT_THAT(packed.changes.to_delete, IsEmpty());
  EXPECT_EQ(packed.endpoints_added, 5);
  EXPECT_EQ(packed.endpoints_removed, 0);
  EXPECT_EQ(packed.changes.to_create.front().metadata.generateName, "web-");
}

TEST(SlicePacking, LeavesWhatIsAsItOughtToBe) {
  EXPECT_EQ(
      Pack({Slice("x", {"a", "b"}), Slice("y", {"c"})}, Set({"c", "b", "a"}), Fresh(), AtMost(2)),
      Packed());
}

TEST(SlicePacking, WritesOnlyTheSliceOfAnEndpointThatSaysSomethingElse) {
  EndpointSet desired = Set({"a", "b"});
  desired.Insert(EndpointOf("c", false));
  const Packed packed =
      Pack({Slice("x", {"a", "b"}), Slice("y", {"c"})}, desired, Fresh(), AtMost(2));
  ASSERT_THAT(Told(packed.changes.to_update), ElementsAre("y: c"));
  EXPECT_EQ(packed.changes.to_update[0].endpoints[0].conditions.ready, false);
  EXPECT_EQ(packed.changes.to_update[0].metadata.resourceVersion, "7");
  EXPECT_EQ(packed.endpoints_added + packed.endpoints_removed, 0);
}

TEST(SlicePacking, FillsWhatIsWrittenAnywayTheFullestFirst) {
  const Packed packed =
      Pack({Slice("x", {"a", "gone"}), Slice("y", {"b", "c", "gone too"}), Slice("z", {"d"})},
           Set({"a", "b", "c", "d", "e", "f"}), Fresh(), AtMost(3));
  EXPECT_THAT(Told(packed.changes.to_update), ElementsAre("x: a f", "y: b c e"));
  EXPECT_THAT(packed.changes.to_create, IsEmpty());
  EXPECT_EQ(packed.endpoints_added, 2);
  EXPECT_EQ(packed.endpoints_removed, 2);
}

TEST(SlicePacking, PutsTheRestWhereItFitsBest) {
  const Packed packed =
      Pack({Slice("x", {"a"}), Slice("y", {"b", "c"}), Slice("z", {"d", "e", "f"})},
           Set({"a", "b", "c", "d", "e", "f", "g", "h"}), Fresh(), AtMost(4));
  EXPECT_THAT(Told(packed.changes.to_update), ElementsAre("y: b c g h"));
  EXPECT_THAT(packed.changes.to_create, IsEmpty());
}

TEST(SlicePacking, DoesNotSpreadTheRestOverSeveralSlices) {
  const Packed packed = Pack({Slice("x", {"a", "b", "c"}), Slice("y", {"d", "e", "f"})},
                             Set({"a", "b", "c", "d", "e", "f", "g", "h"}), Fresh(), AtMost(4));
  EXPECT_THAT(packed.changes.to_update, IsEmpty());
  EXPECT_THAT(Told(packed.changes.to_create), ElementsAre("new: g h"));
}

TEST(SlicePacking, WhatFillsASliceIsNotPutIntoAnother) {
  const Packed packed =
      Pack({Slice("x", {"a"})}, Set({"a", "b", "c", "d", "e"}), Fresh(), AtMost(2));
  EXPECT_THAT(Told(packed.changes.to_create), ElementsAre("new: b c", "new: d e"));
  EXPECT_THAT(packed.changes.to_update, IsEmpty());
}

TEST(SlicePacking, DeletesASliceWhoseEndpointsHaveAllGone) {
  const SliceRef gone = Slice("y", {"c", "d"});
  const Packed packed = Pack({Slice("x", {"a"}), gone}, Set({"a"}), Fresh(), AtMost(2));
  EXPECT_THAT(packed.changes.to_delete, ElementsAre(gone));
  EXPECT_THAT(packed.changes.to_update, IsEmpty());
  EXPECT_EQ(packed.endpoints_removed, 2);
}

TEST(SlicePacking, LeavesASliceThatWasEmptyBefore) {
  EXPECT_EQ(Pack({Slice("x", {})}, Set({}), Fresh(), AtMost(2)), Packed());
  EXPECT_THAT(Told(Pack({Slice("x", {})}, Set({"a"}), Fresh(), AtMost(2)).changes.to_update),
              ElementsAre("x: a"));
}

TEST(SlicePacking, LeavesASliceThatIsFullerThanIsAllowedNow) {
  EXPECT_EQ(Pack({Slice("x", {"a", "b", "c"})}, Set({"a", "b", "c"}), Fresh(), AtMost(2)),
            Packed());
}

TEST(SlicePacking, AnEndpointThatIsInTwoSlicesStaysInTheFirst) {
  const Packed packed =
      Pack({Slice("x", {"a"}), Slice("y", {"a", "b"})}, Set({"a", "b"}), Fresh(), AtMost(2));
  EXPECT_THAT(Told(packed.changes.to_update), ElementsAre("y: b"));
}

TEST(SlicePacking, SetsLabelsThatAreNotAsTheyOughtToBe) {
  EndpointSlice unlabelled = *Slice("x", {"a"});
  unlabelled.metadata.labels.clear();
  const Packed packed = Pack({std::make_shared<const EndpointSlice>(unlabelled), Slice("y", {"b"})},
                             Set({"a", "b", "c"}), Fresh(), AtMost(2));
  // What is new goes there too.
  ASSERT_THAT(Told(packed.changes.to_update), ElementsAre("x: a c"));
  EXPECT_EQ(packed.changes.to_update[0].metadata.labels, Fresh().metadata.labels);
}

TEST(EndpointKey, TellsEndpointsApart) {
  const Endpoint endpoint = EndpointOf("a");
  Endpoint other = endpoint;
  other.conditions.ready = false;
  other.zone = "west";
  EXPECT_EQ(EndpointKey(endpoint), EndpointKey(other));
  other.hostname = "a";
  EXPECT_NE(EndpointKey(endpoint), EndpointKey(other));
  other = endpoint;
  other.targetRef->name = "b";
  EXPECT_NE(EndpointKey(endpoint), EndpointKey(other));
  other.targetRef.reset();
  EXPECT_NE(EndpointKey(endpoint), EndpointKey(other));
  other = endpoint;
  other.addresses = {"2", "1"};
  Endpoint turned = other;
  turned.addresses = {"1", "2"};
  EXPECT_NE(EndpointKey(endpoint), EndpointKey(other));
  EXPECT_EQ(EndpointKey(turned), EndpointKey(other));
}

TEST(SayTheSame, LooksAtWhatReadersGoBy) {
  const Endpoint endpoint = EndpointOf("a");
  const auto same_with = [&](const auto& change) {
    Endpoint other = endpoint;
    change(other);
    return SayTheSame(endpoint, other);
  };
  EXPECT_TRUE(same_with([](Endpoint&) {}));
  EXPECT_TRUE(same_with([](Endpoint& its) { its.hints.emplace(); }));
  EXPECT_TRUE(same_with([](Endpoint& its) { its.targetRef->resourceVersion = "8"; }));
  EXPECT_FALSE(same_with([](Endpoint& its) { its.targetRef->uid = "another"; }));
  EXPECT_FALSE(same_with([](Endpoint& its) { its.targetRef.reset(); }));
  EXPECT_FALSE(same_with([](Endpoint& its) { its.nodeName = "node"; }));
  EXPECT_FALSE(same_with([](Endpoint& its) { its.zone = "west"; }));
  EXPECT_FALSE(same_with([](Endpoint& its) { its.conditions.ready.reset(); }));
  EXPECT_FALSE(same_with([](Endpoint& its) { its.conditions.serving = true; }));
  EXPECT_FALSE(same_with([](Endpoint& its) { its.conditions.terminating = true; }));
}

TEST(EndpointSet, HasEachEndpointOnceAsItWasLastSaid) {
  EndpointSet set = Set({"a", "b"});
  set.Insert(EndpointOf("a", false));
  EXPECT_EQ(set.size(), 2);
  ASSERT_NE(set.Find(EndpointOf("a")), nullptr);
  EXPECT_EQ(set.Find(EndpointOf("a"))->conditions.ready, false);
  EXPECT_EQ(set.Find(EndpointOf("c")), nullptr);
  EXPECT_EQ(set.all().size(), 2);
}

TEST(Recycling, LetsSlicesThatWouldGoBecomeNewOnes) {
  EndpointSlice noted = *Slice("x", {"old"});
  noted.metadata.annotations = {{"note", "of others"}};
  noted.metadata.labels = {{"old", "label"}};
  noted.metadata.finalizers = {"example.org/wait"};
  const SliceRef of_another = Slice("other", {});
  SliceChanges changes;
  changes.to_create = {Fresh(), Fresh(), Fresh()};
  changes.to_create[2].endpoints = {EndpointOf("new")};
  changes.to_delete = {of_another, std::make_shared<const EndpointSlice>(noted), Slice("y", {})};
  Recycle(changes, [](const EndpointSlice& slice) { return slice.metadata.name != "other"; });
  EXPECT_THAT(Told(changes.to_create), ElementsAre("new:"));
  EXPECT_THAT(Told(changes.to_update), ElementsAre("x: new", "y:"));
  EXPECT_THAT(changes.to_delete, ElementsAre(of_another));
  EXPECT_EQ(changes.to_update[0].metadata.resourceVersion, "7");
  EXPECT_EQ(changes.to_update[0].metadata.labels, Fresh().metadata.labels);
  EXPECT_THAT(changes.to_update[0].metadata.annotations, IsEmpty());
  EXPECT_THAT(changes.to_update[0].metadata.finalizers, ElementsAre("example.org/wait"));
  EXPECT_EQ(changes.count(), 4);
}

TEST(Recycling, IsNotForSlicesOfAnotherFamily) {
  EndpointSlice v6 = *Slice("x", {});
  v6.addressType = "IPv6";
  SliceChanges changes;
  changes.to_create = {Fresh()};
  changes.to_delete = {std::make_shared<const EndpointSlice>(v6)};
  Recycle(changes, [](const EndpointSlice&) { return true; });
  EXPECT_EQ(changes.to_create.size(), 1);
  EXPECT_EQ(changes.to_delete.size(), 1);
}

/// Whatever comes and goes, each endpoint is in one slice, and what was not touched stays.
TEST(SlicePacking, HoldsEveryEndpointOnceWhateverChanges) {
  std::mt19937 random(1);
  std::map<std::string, SliceRef> slices;
  std::vector<std::string> pods;
  int made = 0;
  for (int round = 0; round < 500; ++round) {
    for (auto i = random() % 7; i > 0; --i) pods.push_back("pod-" + std::to_string(made++));
    for (auto i = random() % 7; i > 0 && !pods.empty(); --i) {
      pods.erase(pods.begin() + static_cast<int>(random() % pods.size()));
    }
    std::vector<SliceRef> existing;
    for (const auto& [name, slice] : slices) existing.push_back(slice);
    const Packed packed = Pack(existing, Set(pods), Fresh(), AtMost(5));
    for (const SliceRef& slice : packed.changes.to_delete) slices.erase(slice->metadata.name);
    for (const EndpointSlice& slice : packed.changes.to_update) {
      slices[slice.metadata.name] = std::make_shared<const EndpointSlice>(slice);
    }
    for (EndpointSlice slice : packed.changes.to_create) {
      slice.metadata.name = "slice-" + std::to_string(made++);
      slices[slice.metadata.name] = std::make_shared<const EndpointSlice>(slice);
    }
    std::vector<std::string> held;
    for (const auto& [name, slice] : slices) {
      EXPECT_LE(slice->endpoints.size(), 5);
      for (const Endpoint& endpoint : slice->endpoints) held.push_back(endpoint.targetRef->name);
    }
    ASSERT_THAT(held, testing::UnorderedElementsAreArray(pods));
  }
}

}  // namespace
}  // namespace flyball::controllers::common

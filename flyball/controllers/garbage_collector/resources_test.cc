#include "flyball/controllers/garbage_collector/resources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace flyball::controllers::garbage_collector {
namespace {

using client::Resource;
using client::Served;
using client::ServedResource;
using testing::ElementsAre;
using testing::IsEmpty;

const std::vector<std::string> kAllVerbs{"create", "delete", "get", "list", "watch"};

ServedResource Of(const std::string& group, const std::string& version, const std::string& plural,
                  const std::string& kind, bool preferred = true,
                  std::vector<std::string> verbs = kAllVerbs) {
  ServedResource served;
  served.resource = {group, version, plural, kind, true};
  served.verbs = std::move(verbs);
  served.preferred = preferred;
  return served;
}

std::vector<std::string> Names(const std::vector<Resource>& resources) {
  std::vector<std::string> names;
  for (const Resource& resource : resources) {
    names.push_back(resource.ApiVersion() + " " + resource.plural);
  }
  return names;
}

TEST(GarbageCollectorResources, CollectsWhatCanBeListedWatchedAndDeleted) {
  Served served;
  served.resources = {Of("", "v1", "pods", "Pod"),
                      Of("", "v1", "bindings", "Binding", true, {"create"}),
                      Of("", "v1", "componentstatuses", "ComponentStatus", true, {"get", "list"}),
                      Of("x.io", "v1", "nowatch", "NoWatch", true, {"list", "delete"}),
                      Of("x.io", "v1", "nodelete", "NoDelete", true, {"list", "watch"})};
  EXPECT_THAT(Names(Collectable(served)), ElementsAre("v1 pods"));
}

TEST(GarbageCollectorResources, DoesNotCollectEvents) {
  Served served;
  served.resources = {Of("", "v1", "events", "Event"), Of("events.k8s.io", "v1", "events", "Event"),
                      Of("x.io", "v1", "events", "Event")};
  EXPECT_THAT(Names(Collectable(served)), ElementsAre("x.io/v1 events"));
}

TEST(GarbageCollectorResources, WatchesEachResourceInOneVersion) {
  Served served;
  served.resources = {Of("x.io", "v1", "old", "Old", false), Of("x.io", "v2", "old", "Old", true),
                      Of("x.io", "v1", "rest", "Rest", false),
                      Of("x.io", "v1alpha1", "rest", "Rest", false)};
  EXPECT_THAT(Names(Collectable(served)), ElementsAre("x.io/v2 old", "x.io/v1 rest"));
}

TEST(GarbageCollectorResources, KeepsWhatItWatchedOfAServerThatDoesNotAnswer) {
  Served served;
  served.resources = {Of("", "v1", "pods", "Pod")};
  served.unknown = {{"down.io", "v1", "unavailable"}};
  const std::vector<Resource> so_far = {{"", "v1", "pods", "Pod", true},
                                        {"down.io", "v1", "things", "Thing", true},
                                        {"gone.io", "v1", "things", "Thing", true}};
  EXPECT_THAT(Names(CollectableStill(served, so_far)), ElementsAre("v1 pods", "down.io/v1 things"));
  EXPECT_THAT(CollectableStill({}, so_far), IsEmpty());
}

TEST(GarbageCollectorResources, FindsKindsAsReferencesHaveThem) {
  Served served;
  served.resources = {Of("apps", "v1", "replicasets", "ReplicaSet"),
                      Of("apps", "v1beta1", "replicasets", "ReplicaSet", false),
                      Of("", "v1", "pods", "Pod")};
  const ServedKinds kinds(served);
  EXPECT_EQ(kinds.Find("apps/v1", "ReplicaSet"), served.resources[0].resource);
  EXPECT_EQ(kinds.Find("apps/v1beta1", "ReplicaSet"), served.resources[1].resource);
  EXPECT_EQ(kinds.Find("v1", "pod"), served.resources[2].resource);
  EXPECT_EQ(kinds.Find("apps/v1", "replicaset"), served.resources[0].resource);
  EXPECT_EQ(kinds.Find("apps/v1", "replicaSet"), std::nullopt);
  EXPECT_EQ(kinds.Find("v1", "ReplicaSet"), std::nullopt);
  EXPECT_EQ(kinds.Find("apps/v2", "ReplicaSet"), std::nullopt);
  EXPECT_EQ(ServedKinds().Find("v1", "Pod"), std::nullopt);
}

}  // namespace
}  // namespace flyball::controllers::garbage_collector

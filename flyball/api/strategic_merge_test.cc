#include "flyball/api/strategic_merge.h"

#include "flyball/api/apps/v1.h"
#include "flyball/api/core/v1.h"
#include "gtest/gtest.h"

namespace flyball::api {
namespace {

using apps::v1::Deployment;
using core::v1::Pod;

Json Parsed(std::string_view text) { return Json::Parse(text).value(); }

std::string Created(std::string_view from, std::string_view to, const TypeInfo& type = Pod::kType) {
  const auto patch = CreateStrategicMergePatch(Parsed(from), Parsed(to), type);
  return patch ? patch->ToString() : patch.error().Describe();
}

std::string Applied(std::string_view document, std::string_view patch,
                    const TypeInfo& type = Pod::kType) {
  const auto patched = ApplyStrategicMergePatch(Parsed(document), Parsed(patch), type);
  return patched ? patched->ToString() : patched.error().Describe();
}

TEST(StrategicMerge, CarriesOnlyTheElementsThatChanged) {
  const std::string from =
      R"({"spec":{"containers":[{"name":"a","image":"1"},{"name":"b","image":"2"}]}})";
  const std::string to =
      R"({"spec":{"containers":[{"name":"a","image":"1"},{"image":"3","name":"b"}]}})";
  const std::string patch = R"({"spec":{"$setElementOrder/containers":[{"name":"a"},{"name":"b"}],)"
                            R"("containers":[{"image":"3","name":"b"}]}})";
  EXPECT_EQ(Created(from, to), patch);
  EXPECT_EQ(Applied(from, patch), Parsed(to).ToString());
}

TEST(StrategicMerge, DeletesElementsByTheirKey) {
  const std::string from = R"({"spec":{"containers":[{"name":"a"},{"name":"b"}]}})";
  const std::string to = R"({"spec":{"containers":[{"name":"b"}]}})";
  const std::string patch = R"({"spec":{"$setElementOrder/containers":[{"name":"b"}],)"
                            R"("containers":[{"$patch":"delete","name":"a"}]}})";
  EXPECT_EQ(Created(from, to), patch);
  EXPECT_EQ(Applied(from, patch), to);
}

TEST(StrategicMerge, DeletesScalarsThroughAListOfTheirOwn) {
  const std::string from = R"({"metadata":{"finalizers":["a","b"]}})";
  const std::string to = R"({"metadata":{"finalizers":["b","c"]}})";
  const std::string patch = R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["a"],)"
                            R"("$setElementOrder/finalizers":["b","c"],"finalizers":["c"]}})";
  EXPECT_EQ(Created(from, to), patch);
  EXPECT_EQ(Applied(from, patch), to);
}

TEST(StrategicMerge, KeepsWhatOnlyTheServerHasInItsPlace) {
  EXPECT_EQ(Applied(R"({"spec":{"containers":[{"name":"a"},{"name":"s"},{"name":"b"}]}})",
                    R"({"spec":{"$setElementOrder/containers":[{"name":"a"},{"name":"n"},)"
                    R"({"name":"b"}],"containers":[{"name":"n"}]}})"),
            R"({"spec":{"containers":[{"name":"a"},{"name":"n"},{"name":"s"},{"name":"b"}]}})");
}

TEST(StrategicMerge, RetainsTheKeysThatAPatchLists) {
  const std::string from =
      R"({"spec":{"strategy":{"rollingUpdate":{"maxSurge":1},"type":"RollingUpdate"}}})";
  const std::string to = R"({"spec":{"strategy":{"type":"Recreate"}}})";
  const std::string patch =
      R"({"spec":{"strategy":{"$retainKeys":["type"],"rollingUpdate":null,"type":"Recreate"}}})";
  EXPECT_EQ(Created(from, to, Deployment::kType), patch);
  EXPECT_EQ(Applied(from, patch, Deployment::kType), to);
}

TEST(StrategicMerge, ReplacesListsWithoutAStrategyAsAWhole) {
  const std::string from = R"({"spec":{"containers":[{"args":["x","y"],"name":"a"}]}})";
  const std::string patch = R"({"spec":{"containers":[{"args":["z"],"name":"a"}]}})";
  EXPECT_EQ(Applied(from, patch), patch);
}

TEST(StrategicMerge, FindsTheMembersOfInlinedStructs) {
  // emptyDir is a member of VolumeSource, which is inlined into Volume.
  EXPECT_EQ(
      Applied(R"({"spec":{"volumes":[{"emptyDir":{"medium":"Memory"},"name":"v"}]}})",
              R"({"spec":{"volumes":[{"emptyDir":{"sizeLimit":"1Gi"},"name":"v"}]}})"),
      R"({"spec":{"volumes":[{"emptyDir":{"medium":"Memory","sizeLimit":"1Gi"},"name":"v"}]}})");
}

TEST(StrategicMerge, SetsAnOrderForScalarsThatAreNotSortedThoughNothingChanged) {
  const std::string object = R"({"metadata":{"finalizers":["b","a"]}})";
  EXPECT_EQ(Created(object, object), R"({"metadata":{"$setElementOrder/finalizers":["b","a"]}})");
}

TEST(StrategicMerge, DropsNullsFromWhatItAdds) {
  EXPECT_EQ(Applied("{}", R"({"metadata":{"labels":{"a":null,"b":"1"},"name":null}})"),
            R"({"metadata":{"labels":{"b":"1"}}})");
}

TEST(StrategicMerge, RefusesNamingThePlace) {
  const std::string pod =
      R"({"spec":{"containers":[{"name":"a"}],"nodeSelector":{"a":{}}},"x":{}})";
  EXPECT_EQ(Applied(pod, R"({"spec":{"containers":[{"image":"1"}]}})"),
            "invalid: spec.containers[0]: has no name, which is the merge key");
  EXPECT_EQ(Applied(pod, R"({"spec":{"$patch":"merge"}})"),
            R"(invalid: spec.$patch: "merge" is neither replace nor delete)");
  EXPECT_EQ(Applied(pod, R"({"spec":{"$retainKeys":"a"}})"),
            "bad request: spec.$retainKeys: not a list");
  EXPECT_EQ(Applied(pod, R"({"spec":{"$setElementOrder":[]}})"),
            "bad request: spec.$setElementOrder: should be $setElementOrder/, then a list's name");
  EXPECT_EQ(Applied(pod, R"({"spec":{"nodeSelector":{"a":{"b":1}}}})"),
            "invalid: spec.nodeSelector.a: no such field in the type of its object");
  EXPECT_EQ(Applied(pod, R"({"x":{"b":1}})"), "invalid: x: no such field in Pod");
  EXPECT_EQ(Applied(pod, "[]"), "bad request: the patch is not an object");
}

TEST(StrategicMerge, LeavesAloneWhatTheLastApplyNeverSaid) {
  const ThreeWay documents = {
      .original = Parsed(R"({"metadata":{"labels":{"a":"1","b":"1"}}})"),
      .modified = Parsed(R"({"metadata":{"labels":{"a":"2"}}})"),
      .current = Parsed(R"({"metadata":{"labels":{"a":"1","b":"1","c":"1"}}})")};
  const auto patch = CreateThreeWayMergePatch(documents, Pod::kType, OnConflict::kFail);
  ASSERT_TRUE(patch) << patch.error().Describe();
  EXPECT_EQ(patch->ToString(), R"({"metadata":{"labels":{"a":"2","b":null}}})");
}

TEST(StrategicMerge, ConflictsWithWhatOthersChanged) {
  const ThreeWay documents = {.original = Parsed(R"({"metadata":{"labels":{"a":"1"}}})"),
                              .modified = Parsed(R"({"metadata":{"labels":{"a":"2"}}})"),
                              .current = Parsed(R"({"metadata":{"labels":{"a":"3"}}})")};
  const auto refused = CreateThreeWayMergePatch(documents, Pod::kType, OnConflict::kFail);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kConflict);
  const auto patch = CreateThreeWayMergePatch(documents, Pod::kType, OnConflict::kOverwrite);
  ASSERT_TRUE(patch) << patch.error().Describe();
  EXPECT_EQ(patch->ToString(), R"({"metadata":{"labels":{"a":"2"}}})");
}

/// Upstream's patch has the list sorted.
TEST(StrategicMerge, KeepsTheOrderOfAListThatOthersSetToo) {
  const ThreeWay documents = {.original = Parsed("{}"),
                              .modified = Parsed(R"({"spec":{"clusterIPs":["b","a"]}})"),
                              .current = Parsed(R"({"spec":{"clusterIPs":["a","b"]}})")};
  const auto patch =
      CreateThreeWayMergePatch(documents, core::v1::Service::kType, OnConflict::kFail);
  ASSERT_TRUE(patch) << patch.error().Describe();
  EXPECT_EQ(patch->ToString(), R"({"spec":{"clusterIPs":["b","a"]}})");
}

TEST(StrategicMerge, MakesNoPatchThatTouchesWhatMustStay) {
  const auto patch = CreateStrategicMergePatch(Parsed(R"({"metadata":{"name":"a"}})"),
                                               Parsed(R"({"metadata":{"name":"b"}})"), Pod::kType,
                                               {"kind", "metadata.name"});
  ASSERT_FALSE(patch);
  EXPECT_EQ(patch.error().code(), ErrorCode::kForbidden);
  EXPECT_EQ(patch.error().path(), "metadata.name");
}

TEST(StrategicMerge, BetweenObjectsOfAType) {
  Pod before;
  before.metadata.name = "web";
  before.metadata.finalizers = {"x", "y"};
  before.spec.containers.resize(2);
  before.spec.containers[0].name = "a";
  before.spec.containers[1].name = "b";
  Pod after = before;
  after.metadata.finalizers.pop_back();
  after.spec.containers[1].image = "nginx";

  const auto patch = CreateStrategicMergePatch(before, after);
  ASSERT_TRUE(patch) << patch.error().Describe();
  EXPECT_EQ(patch->ToString(),
            R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["y"],)"
            R"("$setElementOrder/finalizers":["x"]},)"
            R"("spec":{"$setElementOrder/containers":[{"name":"a"},{"name":"b"}],)"
            R"("containers":[{"image":"nginx","name":"b"}]}})");
  const auto patched = ApplyStrategicMergePatch(before, *patch);
  ASSERT_TRUE(patched) << patched.error().Describe();
  EXPECT_EQ(*patched, after);
  EXPECT_EQ(CreateStrategicMergePatch(before, before)->ToString(), "{}");
}

TEST(StrategicMerge, OfObjectsWhoseKindIsKnownAtRunTime) {
  const auto before = DecodeObject(
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","finalizers":["a"]}})",
      Format::kJson);
  const auto after = DecodeObject(
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","finalizers":["a","b"]}})",
      Format::kJson);
  ASSERT_TRUE(before && after);
  const auto patch = CreateStrategicMergePatch(*before, *after);
  ASSERT_TRUE(patch) << patch.error().Describe();
  EXPECT_EQ(patch->ToString(),
            R"({"metadata":{"$setElementOrder/finalizers":["a","b"],"finalizers":["b"]}})");
  const auto patched = ApplyStrategicMergePatch(*before, *patch);
  ASSERT_TRUE(patched) << patched.error().Describe();
  EXPECT_EQ(*patched->As<Pod>(), *after->As<Pod>());

  const auto other = DecodeObject(R"({"apiVersion":"v1","kind":"Node"})", Format::kJson);
  ASSERT_TRUE(other);
  EXPECT_FALSE(CreateStrategicMergePatch(*before, *other));
}

}  // namespace
}  // namespace flyball::api

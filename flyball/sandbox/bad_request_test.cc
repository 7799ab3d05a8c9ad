// Requests that the server refuses, and what it makes of those that are nearly bad, in the words of
// kube-apiserver; tests/sameness holds all of it to the real one.
#include <string>

#include "flyball/sandbox/internal/server_fixture.h"
#include "gmock/gmock.h"

namespace flyball::sandbox {
namespace {

using testing::HasSubstr;

constexpr const char* kMaps = "namespaces/default/configmaps";
constexpr const char* kMap = "namespaces/default/configmaps/a";

class BadRequestTest : public ServerFixture {};

TEST_F(BadRequestTest, NullIsAnObjectWithNothingInIt) {
  const auto answer = Post(kMaps, "null");
  EXPECT_EQ(answer.status, 422);
  EXPECT_EQ(answer.At("message"),
            "ConfigMap \"\" is invalid: metadata.name: Required value: name or generateName is "
            "required");
}

TEST_F(BadRequestTest, SaysWhatABodyClaimsToBe) {
  EXPECT_EQ(Post(kMaps, R"({"kind":"Secret","apiVersion":"v1"})").At("message"),
            "Secret in version \"v1\" cannot be handled as a ConfigMap: converting (v1.Secret) to "
            "(core.ConfigMap): unknown conversion");
  EXPECT_EQ(Post(kMaps, R"({"kind":"Nothing","apiVersion":"v1"})").At("message"),
            "Nothing in version \"v1\" cannot be handled as a ConfigMap: no kind \"Nothing\" is "
            "registered for version \"v1\" in scheme \"pkg/runtime/scheme.go:111\"");
  EXPECT_EQ(Post(kMaps, R"({"kind":"ConfigMap","apiVersion":"a/b/c"})").At("message"),
            "the object provided is unrecognized (must be of type ConfigMap): unexpected "
            "GroupVersion string: a/b/c ({\"kind\":\"ConfigMap\",\"apiVersio ...)");
}

TEST_F(BadRequestTest, ComplainsInTheOrderOfTheText) {
  const auto answer = Post("namespaces/default/configmaps?fieldValidation=Strict",
                           R"({"metadata":{"name":"a","x":1},"y":2,"data":{"a":"b","a":"c"}})");
  EXPECT_EQ(answer.At("message"),
            "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: strict decoding error: "
            "unknown field \"metadata.x\", unknown field \"y\", duplicate field \"data.a\"");
}

TEST_F(BadRequestTest, UnknownMembersDoNotKeepAnObjectFromHavingManagers) {
  const auto answer = Post(kMaps, R"({"metadata":{"name":"a"},"y":2,"data":{"a":"b"}})");
  EXPECT_EQ(answer.status, 201);
  EXPECT_THAT(answer.At("metadata.managedFields"), HasSubstr(R"("f:data")"));
}

TEST_F(BadRequestTest, StrictPatchesNameWhatIsUnknown) {
  ASSERT_EQ(Post(kMaps, R"({"metadata":{"name":"a"}})").status, 201);
  const auto answer =
      MergePatch("namespaces/default/configmaps/a?fieldValidation=Strict", R"({"y":2})");
  EXPECT_EQ(answer.status, 422);
  EXPECT_THAT(answer.At("message"), HasSubstr("strict decoding error: unknown field \"y\""));
}

TEST_F(BadRequestTest, OwnersAreCheckedEach) {
  const auto answer = Post(kMaps, R"({"metadata":{"name":"a","ownerReferences":[{},
      {"apiVersion":"v1","kind":"Event","name":"e","uid":"u"}]}})");
  EXPECT_EQ(
      answer.At("message"),
      "ConfigMap \"a\" is invalid: [metadata.ownerReferences[0].apiVersion: Required value: must "
      "not be empty, metadata.ownerReferences[0].kind: Required value: must not be empty, "
      "metadata.ownerReferences[0].name: Required value: must not be empty, "
      "metadata.ownerReferences[0].uid: Required value: must not be empty, "
      "metadata.ownerReferences[1]: Invalid value: "
      "{\"apiVersion\":\"v1\",\"kind\":\"Event\",\"name\":\"e\",\"uid\":\"u\"}: /v1, Kind=Event is "
      "disallowed from being an owner]");
}

TEST_F(BadRequestTest, AnOwnerIsKeptOnce) {
  const auto answer = Post(kMaps, R"({"metadata":{"name":"a","ownerReferences":[
      {"apiVersion":"v1","kind":"Pod","name":"p","uid":"u"},
      {"apiVersion":"v1","kind":"Pod","name":"p","uid":"u"}]}})");
  EXPECT_EQ(answer.At("metadata.ownerReferences"),
            R"([{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u"}])");
}

TEST_F(BadRequestTest, FinalizersOfBuiltInKindsHaveADomain) {
  EXPECT_EQ(Post(kMaps, R"({"metadata":{"name":"a","finalizers":["plain"]}})").At("message"),
            "ConfigMap \"a\" is invalid: metadata.finalizers[0]: Invalid value: \"plain\": name is "
            "neither a standard finalizer name nor is it fully qualified");
}

TEST_F(BadRequestTest, TheBeginningOfANameIsCheckedToo) {
  EXPECT_THAT(Post(kMaps, R"({"metadata":{"generateName":"Upper-"}})").At("message"),
              HasSubstr("is invalid: [metadata.generateName: Invalid value: \"Upper-\""));
  EXPECT_EQ(Post(kMaps, R"({"metadata":{"generateName":"lower-"}})").status, 201);
}

TEST_F(BadRequestTest, UpdatesNameTheirObject) {
  ASSERT_EQ(Post(kMaps, R"({"metadata":{"name":"a"}})").status, 201);
  EXPECT_EQ(Ask("PUT", kMap, R"({"metadata":{}})").At("message"),
            "the name of the object (a based on URL) was undeterminable: name must be provided");
  EXPECT_EQ(
      MergePatch(kMap, R"({"metadata":{"uid":"other"}})").At("message"),
      "ConfigMap \"a\" is invalid: metadata.uid: Invalid value: \"other\": field is immutable");
}

TEST_F(BadRequestTest, OptionsThatMakeNoSenseAreRefused) {
  EXPECT_EQ(Post("namespaces/default/configmaps?dryRun=Odd", "{}").At("message"),
            "CreateOptions.meta.k8s.io \"\" is invalid: dryRun: Unsupported value: [\"Odd\"]: "
            "supported values: \"All\"");
  EXPECT_EQ(Post("namespaces/default/configmaps?fieldManager=a%01", "{}").At("message"),
            "CreateOptions.meta.k8s.io \"\" is invalid: fieldManager: Invalid value: \"a\\x01\": "
            "invalid character U+0001 (at position 1)");
  EXPECT_EQ(MergePatch("namespaces/default/configmaps/a?force=true", "{}").At("message"),
            "PatchOptions.meta.k8s.io \"\" is invalid: force: Forbidden: may not be specified for "
            "non-apply patch");
}

TEST_F(BadRequestTest, WhatIsInANamespaceIsMadeInOne) {
  EXPECT_EQ(Post("configmaps", R"({"metadata":{"name":"a"}})").status, 405);
  EXPECT_EQ(Get("configmaps/a").At("message"), "the server could not find the requested resource");
  EXPECT_EQ(Get("namespaces/default/nodes").status, 404);
}

TEST_F(BadRequestTest, BodiesBeyondTheLimitAreNotRead) {
  const auto answer = Post(kMaps, std::string(ApiServer::kMaxBody + 1, ' '));
  EXPECT_EQ(answer.status, 413);
  EXPECT_EQ(answer.At("message"), "Request entity too large: limit is 3145728");
}

TEST_F(BadRequestTest, WritersDoNotOwnWhatAdmissionAdds) {
  const auto answer = Post("nodes", R"({"metadata":{"name":"n"}})");
  EXPECT_THAT(answer.At("spec.taints"), HasSubstr("node.kubernetes.io/not-ready"));
  EXPECT_EQ(answer.At("metadata.managedFields"), "");
}

TEST_F(BadRequestTest, AnObjectThatGoesWithItsLastFinalizerShowsTheVersionBefore) {
  ASSERT_EQ(Post(kMaps, R"({"metadata":{"name":"a","finalizers":["a/b"]}})").status, 201);
  ASSERT_EQ(Ask("DELETE", kMap).status, 200);
  const std::string version = Get(kMap).At("metadata.resourceVersion");
  const auto gone = MergePatch(kMap, R"({"metadata":{"finalizers":null}})");
  EXPECT_EQ(gone.At("metadata.resourceVersion"), version);
  EXPECT_EQ(Get(kMap).status, 404);
}

}  // namespace
}  // namespace flyball::sandbox

#include "flyball/up/manifests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/api/apps/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/sandbox/sandbox.h"

namespace flyball::up {
namespace {

using core::v1::ConfigMap;

TEST(Manifests, DocumentsAndListsAreObjectsInTheirOrder) {
  const auto objects = ParseManifests(
      "# a comment alone\n"
      "---\n"
      "kind: ConfigMap\n"
      "---\n"
      "{kind: List, items: [{kind: Secret}, {kind: Pod}]}\n"
      "---\n");
  ASSERT_TRUE(objects) << objects.error().Describe();
  std::vector<std::string> texts;
  for (const api::Json& object : *objects) texts.push_back(object.ToString());
  EXPECT_THAT(texts, testing::ElementsAre(R"({"kind":"ConfigMap"})", R"({"kind":"Secret"})",
                                          R"({"kind":"Pod"})"));
}

TEST(Manifests, ABrokenDocumentIsNamed) {
  const auto objects = ParseManifests("kind: Pod\n---\nkind: [\n");
  ASSERT_FALSE(objects);
  EXPECT_THAT(objects.error().Describe(), testing::HasSubstr("document 2"));
}

TEST(Manifests, AreAppliedTwiceToTheSameEnd) {
  sandbox::Sandbox sandbox;
  const auto objects = ParseManifests(
      "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}\n"
      "---\n"
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: shop}, data: {k: v}}\n"
      "---\n"
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: b}, data: {k: w}}\n");
  ASSERT_TRUE(objects) << objects.error().Describe();
  for (int i = 0; i < 2; ++i) {
    const auto applied = ApplyManifests(sandbox.client(), *objects);
    EXPECT_TRUE(applied) << applied.error().Describe();
  }
  EXPECT_EQ(*sandbox.client().Of<ConfigMap>().Get({"shop", "a"})->data.find("k"), "v");
  EXPECT_EQ(*sandbox.client().Of<ConfigMap>().Get({"default", "b"})->data.find("k"), "w");
}

TEST(Manifests, WhatTheServerRefusesIsNamed) {
  sandbox::Sandbox sandbox;
  const auto objects = ParseManifests("{apiVersion: v1, kind: Pot, metadata: {name: a}}");
  const auto applied = ApplyManifests(sandbox.client(), *objects);
  ASSERT_FALSE(applied);
  EXPECT_THAT(applied.error().Describe(), testing::HasSubstr("Pot a"));
}

TEST(Manifests, AFileThatIsNotThereIsNamed) {
  const auto read = ReadManifests("/no/such/file.yaml");
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().Describe(), testing::HasSubstr("/no/such/file.yaml"));
}

}  // namespace
}  // namespace flyball::up

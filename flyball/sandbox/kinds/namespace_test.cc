#include "flyball/sandbox/internal/server_fixture.h"

namespace flyball::sandbox {
namespace {

class NamespaceTest : public ServerFixture {};

TEST_F(NamespaceTest, IsMadeActiveWithItsFinalizerAndItsName) {
  const auto made = Post("namespaces", R"({"metadata":{"name":"team"}})");
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(made.At("metadata.labels"), R"({"kubernetes.io/metadata.name":"team"})");
  EXPECT_EQ(made.At("spec"), R"({"finalizers":["kubernetes"]})");
  EXPECT_EQ(made.At("status"), R"({"phase":"Active"})");
}

TEST_F(NamespaceTest, GoesWhenItsLastFinalizerDoesAndTakesNothingNewBefore) {
  Post("namespaces", R"({"metadata":{"name":"team"}})");
  const auto deleted = Ask("DELETE", "namespaces/team");
  EXPECT_EQ(deleted.status, 200);
  EXPECT_EQ(deleted.At("status"), R"({"phase":"Terminating"})");
  EXPECT_EQ(deleted.At("metadata.deletionGracePeriodSeconds"), "");
  EXPECT_NE(deleted.At("metadata.deletionTimestamp"), "");

  const auto refused = Post("namespaces/team/configmaps", R"({"metadata":{"name":"late"}})");
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(refused.At("message"),
            "configmaps \"late\" is forbidden: unable to create new content in namespace team "
            "because it is being terminated");
  EXPECT_EQ(Ask("DELETE", "namespaces/team").At("status.phase"), "Terminating");

  const auto finalized = Ask("PUT", "namespaces/team/finalize",
                             R"({"metadata":{"name":"team"},"spec":{"finalizers":[]}})");
  EXPECT_EQ(finalized.status, 200);
  EXPECT_EQ(Get("namespaces/team").status, 404);
}

TEST_F(NamespaceTest, KeepsItsFinalizersFromOrdinaryUpdates) {
  Post("namespaces", R"({"metadata":{"name":"team"}})");
  const auto updated =
      MergePatch("namespaces/team", R"({"spec":{"finalizers":null},"metadata":{"labels":null}})");
  EXPECT_EQ(updated.At("spec"), R"({"finalizers":["kubernetes"]})");
  EXPECT_EQ(updated.At("metadata.labels"), R"({"kubernetes.io/metadata.name":"team"})");
}

TEST_F(NamespaceTest, OfTheSystemMayNotBeDeleted) {
  const auto refused = Ask("DELETE", "namespaces/kube-system");
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(refused.At("message"),
            "namespaces \"kube-system\" is forbidden: this namespace may not be deleted");
}

}  // namespace
}  // namespace flyball::sandbox

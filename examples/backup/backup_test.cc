#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backup_controller.h"
#include "flyball/api/core/v1.h"
#include "flyball/crds/keep/v1.h"
#include "flyball/testkit/test_cluster.h"

namespace backup {
namespace {

using flyball::core::v1::ConfigMap;
using flyball::core::v1::Secret;
using flyball::core::v1::ServiceAccount;
using flyball::keep::v1::Backup;
using flyball::testkit::TestCluster;
using testing::IsEmpty;

const flyball::api::ObjectKey kCopy = {"default", "all-backup"};

class BackupTest : public testing::Test {
 protected:
  BackupTest() {
    cluster_.Install(BACKUP_CRD);
    cluster_.StartOperator(AddBackupController, {.name = "backup-operator"});
  }

  template <typename T>
  T Labelled(const std::string& name) {
    T object;
    object.metadata.namespace_ = "default";
    object.metadata.name = name;
    object.metadata.labels["keep.example.com/backup"] = "all";
    return object;
  }
  void Keep(const std::string& resource) {
    Backup backup;
    backup.metadata.namespace_ = "default";
    backup.metadata.name = "all";
    backup.spec.version = "v1";
    backup.spec.resource = resource;
    cluster_.Create(backup);
    cluster_.Pass(std::chrono::seconds(5));
  }

  TestCluster cluster_{{.nodes = 0}};
};

TEST_F(BackupTest, KeepsWhatIsLabelledAndFollowsIt) {
  ConfigMap map = Labelled<ConfigMap>("settings");
  map.data["colour"] = "red";
  map = cluster_.Create(map);
  Keep("configmaps");
  EXPECT_EQ(cluster_.Get<Secret>(kCopy).data["settings.json"],
            R"({"apiVersion":"v1","data":{"colour":"red"},"kind":"ConfigMap","metadata":)"
            R"({"labels":{"keep.example.com/backup":"all"},"name":"settings",)"
            R"("namespace":"default"}})");
  map.data["colour"] = "blue";
  cluster_.Update(map);
  cluster_.Create(Labelled<ConfigMap>("more"));
  cluster_.Pass(std::chrono::seconds(5));
  EXPECT_THAT(cluster_.Get<Secret>(kCopy).data["settings.json"], testing::HasSubstr("blue"));
  EXPECT_EQ(cluster_.Get<Backup>({"default", "all"}).status->kept, 2);

  cluster_.Delete<ConfigMap>({"default", "settings"});
  cluster_.Pass(std::chrono::seconds(5));
  EXPECT_FALSE(cluster_.Get<Secret>(kCopy).data.contains("settings.json"));
}

TEST_F(BackupTest, KeepsKindsThatItHasNoTypesOf) {
  Keep("serviceaccounts");
  EXPECT_EQ(cluster_.Get<Backup>({"default", "all"}).status->kept, 0);
  cluster_.Create(Labelled<ServiceAccount>("robot"));
  cluster_.Pass(std::chrono::minutes(11));
  EXPECT_TRUE(cluster_.Get<Secret>(kCopy).data.contains("robot.json"));
}

TEST_F(BackupTest, AKindThatNobodyServesIsTriedAgain) {
  Keep("unicorns");
  EXPECT_FALSE(cluster_.Exists<Secret>(kCopy));
  EXPECT_THAT(cluster_.Log(), testing::HasSubstr("could not find the requested resource"));
}

}  // namespace
}  // namespace backup

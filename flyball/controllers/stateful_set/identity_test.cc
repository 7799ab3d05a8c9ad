#include "flyball/controllers/stateful_set/identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <utility>
#include <vector>

#include "flyball/controllers/common/controller_ref.h"
#include "flyball/controllers/stateful_set/internal/stateful_set_fake.h"

namespace flyball::controllers::stateful_set {
namespace {

using apps::v1::StatefulSet;
using core::v1::PersistentVolumeClaim;
using core::v1::Pod;
using testing::ElementsAre;

TEST(StatefulSetIdentity, NamesTellTheSetAndTheOrdinal) {
  struct Case {
    std::string name;
    std::optional<std::pair<std::string, std::int64_t>> says;
  };
  const std::vector<Case> cases = {
      {"db-0", {{"db", 0}}},
      {"db-12", {{"db", 12}}},
      {"a-b-3", {{"a-b", 3}}},
      {"db-1-2", {{"db-1", 2}}},
      {"db-007", {{"db", 7}}},
      {"db-2147483647", {{"db", 2147483647}}},
      {"db-2147483648", {{"db", -1}}},
      {"-5", {{"", 5}}},
      {"db--5", {{"db-", 5}}},
      {"db", std::nullopt},
      {"db-", std::nullopt},
      {"db5", std::nullopt},
      {"5", std::nullopt},
      {"db-5a", std::nullopt},
      {"", std::nullopt},
  };
  for (const Case& each : cases) {
    const auto parsed = ParseMemberName(each.name);
    ASSERT_EQ(parsed.has_value(), each.says.has_value()) << each.name;
    if (!parsed) continue;
    EXPECT_EQ(parsed->set, each.says->first) << each.name;
    EXPECT_EQ(parsed->ordinal, each.says->second) << each.name;
  }
}

TEST(StatefulSetIdentity, APodIsAMemberOfTheSetWhoseNameItHas) {
  const StatefulSet set = Db();
  EXPECT_TRUE(IsMemberOf(set, *PodAt(set, 1)));
  StatefulSet other = Db();
  other.metadata.name = "db-1";
  EXPECT_FALSE(IsMemberOf(set, *PodAt(other, 1)));
  Pod stranger = PodValue(set, 1);
  stranger.metadata.name = "stranger";
  EXPECT_FALSE(IsMemberOf(set, *ViewOf(stranger)));
  EXPECT_EQ(OrdinalOf(*ViewOf(stranger)), -1);
}

TEST(StatefulSetIdentity, OrdinalsBeginWhereTheSetSays) {
  StatefulSet set = Db(3);
  EXPECT_TRUE(RangeOf(set).Contains(0));
  EXPECT_TRUE(RangeOf(set).Contains(2));
  EXPECT_FALSE(RangeOf(set).Contains(3));
  set.spec.ordinals.emplace().start = 5;
  EXPECT_FALSE(RangeOf(set).Contains(4));
  EXPECT_TRUE(RangeOf(set).Contains(5));
  EXPECT_TRUE(RangeOf(set).Contains(7));
  EXPECT_FALSE(RangeOf(set).Contains(8));
  set.spec.replicas.reset();
  EXPECT_EQ(RangeOf(set).count, 1);
}

TEST(StatefulSetIdentity, APodHasWhatItsTemplateSaysAndWhatOnlyItHas) {
  StatefulSet set = WithClaim(WithClaim(Db()), "", "", "logs");
  set.spec.template_.metadata.annotations["note"] = "kept";
  set.spec.template_.spec.volumes.emplace_back().name = "scratch";
  set.spec.template_.spec.volumes.back().emptyDir.emplace();
  // A claim takes the place of a volume that is called the same.
  set.spec.template_.spec.volumes.emplace_back().name = "data";
  set.spec.template_.spec.volumes.back().emptyDir.emplace();

  Pod expected;
  expected.metadata.namespace_ = "default";
  expected.metadata.generateName = "db-";
  expected.metadata.name = "db-2";
  expected.metadata.labels = {{"app", "db"},
                              {"apps.kubernetes.io/pod-index", "2"},
                              {"controller-revision-hash", "db-123"},
                              {"statefulset.kubernetes.io/pod-name", "db-2"}};
  expected.metadata.annotations["note"] = "kept";
  expected.metadata.ownerReferences = {common::ControllerRefTo(set)};
  expected.spec = set.spec.template_.spec;
  expected.spec.hostname = "db-2";
  expected.spec.subdomain = "db-hosts";
  expected.spec.volumes.clear();
  for (const std::string name : {"data", "logs"}) {
    core::v1::Volume& volume = expected.spec.volumes.emplace_back();
    volume.name = name;
    volume.persistentVolumeClaim.emplace().claimName = name + "-db-2";
  }
  expected.spec.volumes.push_back(set.spec.template_.spec.volumes[0]);
  EXPECT_EQ(MakePod(set, "db-123", 2), expected);
}

TEST(StatefulSetIdentity, ClaimsHaveTheTemplatesLabelsAndTheSelectors) {
  StatefulSet set = WithClaim(Db());
  set.spec.volumeClaimTemplates[0].metadata.labels = {{"app", "other"}, {"tier", "disk"}};
  set.spec.volumeClaimTemplates[0].metadata.annotations["note"] = "kept";
  PersistentVolumeClaim expected = set.spec.volumeClaimTemplates[0];
  expected.metadata.name = "data-db-1";
  expected.metadata.namespace_ = "default";
  expected.metadata.labels["app"] = "db";
  EXPECT_THAT(ClaimsFor(set, 1), ElementsAre(expected));

  set.spec.volumeClaimTemplates[0].metadata.labels.clear();
  expected.metadata.labels = {{"app", "db"}};
  EXPECT_THAT(ClaimsFor(set, 1), ElementsAre(expected));
}

TEST(StatefulSetIdentity, APodHasItsIdentityIfItIsCalledAndLabelledRight) {
  const StatefulSet set = Db();
  EXPECT_TRUE(HasIdentity(set, *PodAt(set, 1)));
  Pod pod = PodValue(set, 1);
  pod.metadata.labels.erase("apps.kubernetes.io/pod-index");
  EXPECT_TRUE(HasIdentity(set, *ViewOf(pod)));  // which nobody looks at
  pod.metadata.labels["statefulset.kubernetes.io/pod-name"] = "db-2";
  EXPECT_FALSE(HasIdentity(set, *ViewOf(pod)));
  pod = PodValue(set, 1);
  pod.metadata.name = "db-01";
  pod.metadata.labels["statefulset.kubernetes.io/pod-name"] = "db-01";
  EXPECT_FALSE(HasIdentity(set, *ViewOf(pod)));
}

TEST(StatefulSetIdentity, APodHasItsStorageIfEachOfItsClaimsIsAVolume) {
  const StatefulSet set = WithClaim(Db());
  EXPECT_TRUE(HasStorage(set, *PodAt(set, 1)));
  EXPECT_TRUE(HasStorage(Db(), *PodAt(Db(), 1)));
  EXPECT_FALSE(HasStorage(set, *PodAt(Db(), 1)));
  Pod pod = PodValue(set, 1);
  pod.spec.volumes[0].persistentVolumeClaim->claimName = "data-db-2";
  EXPECT_FALSE(HasStorage(set, *ViewOf(pod)));
  pod.spec.volumes[0].persistentVolumeClaim.reset();
  pod.spec.volumes[0].emptyDir.emplace();
  EXPECT_FALSE(HasStorage(set, *ViewOf(pod)));
}

TEST(StatefulSetIdentity, ARepairTouchesOnlyWhatIsWrong) {
  StatefulSet set = WithClaim(Db());
  Pod pod = PodValue(set, 1);
  pod.metadata.labels.clear();
  EXPECT_EQ(RepairPatch(set, *ViewOf(pod)),
            R"({"metadata":{"labels":{"apps.kubernetes.io/pod-index":"1",)"
            R"("statefulset.kubernetes.io/pod-name":"db-1"},"uid":"uid-of-db-1"}})");
  pod = PodValue(set, 1);
  pod.spec.volumes.clear();
  EXPECT_EQ(RepairPatch(set, *ViewOf(pod)),
            R"({"metadata":{"uid":"uid-of-db-1"},"spec":{"volumes":[{"$retainKeys":["name",)"
            R"("persistentVolumeClaim"],"name":"data",)"
            R"("persistentVolumeClaim":{"claimName":"data-db-1"}}]}})");
}

}  // namespace
}  // namespace flyball::controllers::stateful_set

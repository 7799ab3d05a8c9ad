#include "flyball/api/template_hash.h"

#include "flyball/api/hash_dump.h"
#include "flyball/api/json_decode.h"
#include "gtest/gtest.h"

namespace flyball::api {
namespace {

using core::v1::PodTemplateSpec;

PodTemplateSpec OneContainer() {
  PodTemplateSpec pod_template;
  auto& container = pod_template.spec.containers.emplace_back();
  container.name = "c";
  container.image = "nginx:1";
  return pod_template;
}

TEST(PodTemplateHash, IsTheOneThatUpstreamPutsIntoNames) {
  EXPECT_EQ(PodTemplateHash(PodTemplateSpec()), "54f4c57dcb");
  EXPECT_EQ(PodTemplateHash(PodTemplateSpec(), 0), "98789f664");
  EXPECT_EQ(PodTemplateHash(OneContainer()), "686476b4c6");
}

TEST(PodTemplateHash, TellsHowAQuantityWasSpelledThoughEqualityDoesNot) {
  PodTemplateSpec whole = OneContainer();
  whole.spec.containers[0].resources.limits["cpu"] = *Quantity::Parse("1");
  PodTemplateSpec thousandths = OneContainer();
  thousandths.spec.containers[0].resources.limits["cpu"] = *Quantity::Parse("1000m");
  EXPECT_EQ(whole, thousandths);
  EXPECT_NE(PodTemplateHash(whole), PodTemplateHash(thousandths));
}

TEST(PodTemplateHash, DoesNotSeeWhatUpstreamDoesNotKnow) {
  const auto newer = DecodeJson<PodTemplateSpec>(
      R"({"spec":{"containers":[{"name":"c","image":"nginx:1","novelty":true}]}})");
  ASSERT_TRUE(newer.has_value());
  EXPECT_EQ(PodTemplateHash(*newer), PodTemplateHash(OneContainer()));
}

TEST(DumpForHash, PrintsEveryFieldUnderItsGoNameAndType) {
  core::v1::Toleration toleration;
  toleration.key = "gpu";
  toleration.operator_ = "Exists";
  toleration.tolerationSeconds = 30;
  EXPECT_EQ(DumpForHash(toleration),
            "(v1.Toleration){Key:(string)gpu Operator:(v1.TolerationOperator)Exists Value:(string) "
            "Effect:(v1.TaintEffect) TolerationSeconds:(*int64)30}");
}

TEST(DumpForHash, PrintsListsAndMapsWithoutTheTypesOfWhatIsInThem) {
  core::v1::ResourceRequirements resources;
  resources.limits["cpu"] = *Quantity::Parse("1.5");
  resources.claims.emplace_back().name = "a";
  resources.claims.emplace_back().request = "b";
  EXPECT_EQ(DumpForHash(resources),
            "(v1.ResourceRequirements){Limits:(v1.ResourceList)map[cpu:{i:(resource.int64Amount){"
            "value:(int64)15 scale:(resource.Scale)-1} d:(resource.infDecAmount){Dec:(*inf.Dec)"
            "<nil>} s:(string) Format:(resource.Format)DecimalSI}] Requests:(v1.ResourceList)<nil> "
            "Claims:([]v1.ResourceClaim)[{Name:(string)a Request:(string)} {Name:(string) "
            "Request:(string)b}]}");
}

TEST(RevisionData, IsThePatchThatPutsTheTemplateBackWithSortedKeys) {
  const auto data = RevisionData(OneContainer(), RevisionOwner::kDaemonSet);
  ASSERT_TRUE(data.has_value());
  EXPECT_EQ(*data, R"({"spec":{"template":{"$patch":"replace","metadata":{},"spec":{"containers":)"
                   R"([{"image":"nginx:1","name":"c","resources":{}}]}}}})");
}

TEST(RevisionData, RoundsLargeIntegersOfStatefulSetsOnly) {
  PodTemplateSpec pod_template = OneContainer();
  pod_template.spec.activeDeadlineSeconds = (std::int64_t{1} << 53) + 1;
  const auto daemon_set = RevisionData(pod_template, RevisionOwner::kDaemonSet);
  const auto stateful_set = RevisionData(pod_template, RevisionOwner::kStatefulSet);
  ASSERT_TRUE(daemon_set && stateful_set);
  EXPECT_NE(daemon_set->find("9007199254740993"), std::string::npos);
  EXPECT_NE(stateful_set->find("9007199254740992"), std::string::npos);
}

TEST(RevisionData, NamesTheFieldThatIsNotJson) {
  PodTemplateSpec pod_template;
  pod_template.metadata.managedFields.emplace_back().fieldsV1.emplace().raw = "{";
  const auto data = RevisionData(pod_template, RevisionOwner::kDaemonSet);
  ASSERT_FALSE(data.has_value());
  EXPECT_NE(data.error().Describe().find("metadata.managedFields[0].fieldsV1"), std::string::npos)
      << data.error().Describe();
}

TEST(RevisionHash, CountsCollisionsAsText) {
  EXPECT_EQ(RevisionHash("data", 7), RevisionHash("data7"));
  EXPECT_NE(RevisionHash("data", 0), RevisionHash("data"));
}

}  // namespace
}  // namespace flyball::api

#include "flyball/controllers/daemon_set/daemon_pod.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/api/json_encode.h"
#include "flyball/controllers/common/controller_ref.h"
#include "flyball/controllers/daemon_set/internal/daemon_set_fake.h"

namespace flyball::controllers::daemon_set {
namespace {

using apps::v1::DaemonSet;
using core::v1::Pod;
using core::v1::PodSpec;
using core::v1::Toleration;
using testing::ElementsAre;

std::string Text(const Toleration& toleration) {
  return toleration.key + ":" + toleration.operator_ + ":" + toleration.effect +
         (toleration.tolerationSeconds ? ":limited" : "");
}

std::vector<std::string> TolerationTexts(const PodSpec& spec) {
  std::vector<std::string> texts;
  for (const Toleration& toleration : TolerationsOf(spec)) texts.push_back(Text(toleration));
  return texts;
}

TEST(DaemonPod, ToleratesWhatDaemonsMustBesideWhatItsTemplateDoes) {
  PodSpec spec;
  auto& own = spec.tolerations.emplace_back();
  own.key = "dedicated";
  own.operator_ = "Equal";
  spec.hostNetwork = true;
  EXPECT_THAT(TolerationTexts(spec),
              ElementsAre("dedicated:Equal:", "node.kubernetes.io/not-ready:Exists:NoExecute",
                          "node.kubernetes.io/unreachable:Exists:NoExecute",
                          "node.kubernetes.io/disk-pressure:Exists:NoSchedule",
                          "node.kubernetes.io/memory-pressure:Exists:NoSchedule",
                          "node.kubernetes.io/pid-pressure:Exists:NoSchedule",
                          "node.kubernetes.io/unschedulable:Exists:NoSchedule",
                          "node.kubernetes.io/network-unavailable:Exists:NoSchedule"));
  spec.hostNetwork = false;
  EXPECT_EQ(TolerationTexts(spec).size(), 7);
}

TEST(DaemonPod, ATolerationForALimitedTimeBecomesOneForEver) {
  PodSpec spec;
  auto& limited = spec.tolerations.emplace_back();
  limited.key = "node.kubernetes.io/not-ready";
  limited.operator_ = "Exists";
  limited.effect = "NoExecute";
  limited.tolerationSeconds = 30;
  const auto texts = TolerationTexts(spec);
  EXPECT_EQ(texts.size(), 6);
  EXPECT_EQ(texts[0], "node.kubernetes.io/not-ready:Exists:NoExecute");
}

TEST(DaemonPod, CarriesItsEditionAndItsOwner) {
  const DaemonSet set = Agent();
  const Pod pod = DaemonPod(set, {.hash = "abc", .generation = 7});
  EXPECT_EQ(pod.metadata.generateName, "agent-");
  EXPECT_EQ(pod.metadata.namespace_, "default");
  EXPECT_EQ(pod.metadata.labels, (api::Map<std::string>{{"app", "agent"},
                                                        {"controller-revision-hash", "abc"},
                                                        {"pod-template-generation", "7"}}));
  EXPECT_THAT(pod.metadata.ownerReferences, ElementsAre(common::ControllerRefTo(set)));
  EXPECT_EQ(pod.spec.tolerations, TolerationsOf(set.spec.template_.spec));
  EXPECT_EQ(pod.spec.containers, set.spec.template_.spec.containers);
  EXPECT_EQ(DaemonPod(set, {}).metadata.labels, (api::Map<std::string>{{"app", "agent"}}));
}

TEST(DaemonPod, IsBoundToItsNodeByAffinityAlone) {
  const std::string named =
      R"({"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchFields":)"
      R"([{"key":"metadata.name","operator":"In","values":["a"]}]}]})";
  const auto affinity = [](const Pod& pod) { return api::EncodeJson(*pod.spec.affinity).value(); };
  EXPECT_EQ(affinity(BoundTo(Pod(), "a")), R"({"nodeAffinity":)" + named + "}}");

  // What is required is replaced, what is preferred is kept, and so are other affinities.
  Pod pod;
  auto& before = pod.spec.affinity.emplace();
  before.podAntiAffinity.emplace();
  auto& node = before.nodeAffinity.emplace();
  node.preferredDuringSchedulingIgnoredDuringExecution.emplace_back().weight = 5;
  auto& term = node.requiredDuringSchedulingIgnoredDuringExecution.emplace()
                   .nodeSelectorTerms.emplace_back();
  term.matchExpressions.emplace_back().key = "zone";
  EXPECT_EQ(affinity(BoundTo(pod, "a")),
            R"({"nodeAffinity":)" + named +
                R"(,"preferredDuringSchedulingIgnoredDuringExecution":)"
                R"([{"weight":5,"preference":{}}]},"podAntiAffinity":{}})");
}

TEST(DaemonPod, IsForTheNodeThatItIsOnOrMayBeBoundTo) {
  EXPECT_EQ(TargetNodeOf(*PodNamed("pod", {.node = "a"})), "a");
  EXPECT_EQ(TargetNodeOf(*PodNamed("pod", {.node = "b", .bound = false})), "b");
  const auto target = [](const std::function<void(Pod&)>& change) {
    Pod pod = BoundTo(Pod(), "a");
    change(pod);
    return TargetNodeOf(*controllers::ViewOf(pod));
  };
  const auto term = [](Pod& pod) -> core::v1::NodeSelectorTerm& {
    return pod.spec.affinity->nodeAffinity->requiredDuringSchedulingIgnoredDuringExecution
        ->nodeSelectorTerms[0];
  };
  EXPECT_EQ(target([](Pod&) {}), "a");
  EXPECT_EQ(target([](Pod& pod) { pod.spec.affinity.reset(); }), std::nullopt);
  EXPECT_EQ(target([](Pod& pod) { pod.spec.affinity->nodeAffinity.reset(); }), std::nullopt);
  EXPECT_EQ(
      target([](Pod& pod) {
        pod.spec.affinity->nodeAffinity->requiredDuringSchedulingIgnoredDuringExecution.reset();
      }),
      std::nullopt);
  EXPECT_EQ(target([&](Pod& pod) { term(pod).matchFields[0].values.push_back("b"); }),
            std::nullopt);
  EXPECT_EQ(target([&](Pod& pod) { term(pod).matchFields[0].operator_ = "NotIn"; }), std::nullopt);
  EXPECT_EQ(target([](Pod& pod) {
              pod.spec.affinity.reset();
              pod.spec.priorityClassName = "high";
            }),
            std::nullopt);
}

TEST(DaemonPod, IsUpdatedByItsHashOrByTheDeprecatedGeneration) {
  const TemplateRevision template_revision{.hash = "new", .generation = 4};
  EXPECT_TRUE(IsUpdated(*PodNamed("pod", {.hash = "new"}), template_revision));
  EXPECT_FALSE(IsUpdated(*PodNamed("pod", {.hash = "old"}), template_revision));
  EXPECT_TRUE(IsUpdated(*PodNamed("pod", {.hash = "old", .generation = "4"}), template_revision));
  EXPECT_FALSE(IsUpdated(*PodNamed("pod", {.hash = "old", .generation = "3"}), template_revision));
  EXPECT_FALSE(IsUpdated(*PodNamed("pod", {.hash = ""}), TemplateRevision()));
}

TEST(DaemonPod, TheDeprecatedGenerationIsAnIntegerOrNothing) {
  const auto generation = [](const std::string& text) {
    DaemonSet set;
    set.metadata.annotations["deprecated.daemonset.template.generation"] = text;
    return TemplateGenerationOf(set);
  };
  EXPECT_EQ(TemplateGenerationOf(DaemonSet()), std::nullopt);
  EXPECT_EQ(generation("12"), 12);
  EXPECT_EQ(generation("+12"), 12);
  EXPECT_EQ(generation("-12"), -12);
  for (const std::string bad : {"", "+", "+-1", " 1", "1 ", "0x1", "1.0", "9223372036854775808"}) {
    EXPECT_EQ(generation(bad), std::nullopt) << bad;
  }
}

TEST(PodsByNode, PutTheOneFirstThatCounts) {
  const auto by_node = ByNode(
      std::vector{PodNamed("young", {.created = 9}), PodNamed("old", {.created = 1}),
                  PodNamed("unbound", {.bound = false, .created = 0}),
                  PodNamed("also-old", {.created = 1}), PodNamed("elsewhere", {.node = "b"})});
  ASSERT_EQ(by_node.size(), 2);
  EXPECT_THAT(NamesOf(by_node.at("a")), ElementsAre("also-old", "old", "young", "unbound"));
  EXPECT_THAT(NamesOf(by_node.at("b")), ElementsAre("elsewhere"));
}

TEST(PodsByNode, LeaveOutWhatHasEndedAndIsBeingRemoved) {
  const auto by_node = ByNode(std::vector{
      PodNamed("failed", {.phase = "Failed"}), PodNamed("going", {.going = true}),
      PodNamed("gone", {.phase = "Failed", .going = true}),
      PodNamed("done", {.phase = "Succeeded", .going = true}), controllers::ViewOf(Pod())});
  ASSERT_EQ(by_node.size(), 1);
  EXPECT_THAT(NamesOf(by_node.at("a")), ElementsAre("failed", "going"));
}

}  // namespace
}  // namespace flyball::controllers::daemon_set

#include "flyball/controllers/common/services_of_pod.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "flyball/controllers/common/internal/pod_fake.h"
#include "tests/hostile/colliding_labels.h"

namespace flyball::controllers::common {
namespace {

using api::ObjectKey;
using core::v1::Pod;
using core::v1::Service;
using testing::ElementsAre;
using testing::IsEmpty;
using Labels = api::Map<std::string>;

Service ServiceOf(const std::string& name, const Labels& selector,
                  const std::string& namespace_ = "shop") {
  Service service;
  service.metadata.namespace_ = namespace_;
  service.metadata.name = name;
  service.spec.selector = selector;
  return service;
}

Pod PodOf(const Labels& labels, const std::string& namespace_ = "shop") {
  Pod pod;
  pod.metadata.namespace_ = namespace_;
  pod.metadata.name = "pod";
  pod.metadata.resourceVersion = "1";
  pod.metadata.labels = labels;
  pod.spec.hostname = "one";
  pod.spec.subdomain = "pods";
  pod.status.phase = "Running";
  pod.status.podIPs.emplace_back().ip = "10.0.0.1";
  pod.status.conditions.push_back(ReadyCondition(api::Time::FromUnix(100), "False"));
  return pod;
}

Pod Changed(Pod pod, const std::function<void(Pod&)>& change) {
  pod.metadata.resourceVersion = "2";
  change(pod);
  return pod;
}

std::vector<std::string> Names(const std::vector<ObjectKey>& keys) {
  std::vector<std::string> names;
  for (const ObjectKey& key : keys) names.push_back(key.ToString());
  return names;
}

class ServicesOfPodTest : public testing::Test {
 protected:
  std::vector<std::string> Of(const Pod& pod) { return Names(services_.Of(*ViewOf(pod))); }
  std::vector<std::string> ToUpdate(const Pod& old, const Pod& now) {
    return Names(services_.ToUpdate(*ViewOf(old), *ViewOf(now)));
  }

  ServicesOfPod services_;
};

TEST_F(ServicesOfPodTest, FindsThoseWhoseWholeSelectorThePodHas) {
  services_.Put(ServiceOf("app", {{"app", "web"}}));
  services_.Put(ServiceOf("both", {{"app", "web"}, {"tier", "front"}}));
  services_.Put(ServiceOf("tier", {{"tier", "front"}}));
  services_.Put(ServiceOf("more", {{"app", "web"}, {"tier", "front"}, {"zone", "a"}}));
  services_.Put(ServiceOf("other", {{"app", "api"}, {"tier", "front"}}));
  services_.Put(ServiceOf("elsewhere", {{"app", "web"}}, "bank"));
  services_.Put(ServiceOf("swapped", {{"web", "app"}}));

  EXPECT_THAT(Of(PodOf({{"app", "web"}, {"tier", "front"}, {"version", "2"}})),
              ElementsAre("shop/app", "shop/both", "shop/tier"));
  EXPECT_THAT(Of(PodOf({{"app", "web"}}, "bank")), ElementsAre("bank/elsewhere"));
  EXPECT_THAT(Of(PodOf({{"tier", "front"}})), ElementsAre("shop/tier"));
  EXPECT_THAT(Of(PodOf({{"zone", "a"}})), IsEmpty());
  EXPECT_THAT(Of(PodOf({})), IsEmpty());
}

TEST_F(ServicesOfPodTest, AServiceWithoutASelectorSelectsNothing) {
  services_.Put(ServiceOf("none", {}));
  EXPECT_THAT(Of(PodOf({{"app", "web"}})), IsEmpty());
  EXPECT_EQ(services_.label_count(), 0);
}

TEST_F(ServicesOfPodTest, OneOfTypeExternalNameIsFoundToo) {
  Service service = ServiceOf("outside", {{"app", "web"}});
  service.spec.type = "ExternalName";
  services_.Put(service);
  EXPECT_THAT(Of(PodOf({{"app", "web"}})), ElementsAre("shop/outside"));
}

TEST_F(ServicesOfPodTest, SelectorsThatChangeOrGoAreForgotten) {
  services_.Put(ServiceOf("a", {{"app", "web"}, {"tier", "front"}}));
  services_.Put(ServiceOf("b", {{"app", "web"}}));
  services_.Put(ServiceOf("a", {{"app", "api"}}));
  EXPECT_THAT(Of(PodOf({{"app", "web"}, {"tier", "front"}})), ElementsAre("shop/b"));
  EXPECT_THAT(Of(PodOf({{"app", "api"}})), ElementsAre("shop/a"));

  services_.Put(ServiceOf("a", {{"app", "api"}}));  // as it was
  EXPECT_THAT(Of(PodOf({{"app", "api"}})), ElementsAre("shop/a"));
  services_.Put(ServiceOf("a", {}));
  EXPECT_THAT(Of(PodOf({{"app", "api"}})), IsEmpty());
  services_.Remove({"shop", "b"});
  services_.Remove({"shop", "b"});
  services_.Remove({"shop", "never"});
  EXPECT_THAT(Of(PodOf({{"app", "web"}})), IsEmpty());
  EXPECT_EQ(services_.label_count(), 0);
}

TEST_F(ServicesOfPodTest, AThousandServicesThatShareAPairCostAPodNoMoreThanItsOwn) {
  for (int i = 0; i < 1000; ++i) {
    const std::string number = std::to_string(i);
    services_.Put(ServiceOf("s" + number, {{"app", "shop"}, {"component", "c" + number}}));
    // The same with the shared pair behind the one that tells them apart.
    services_.Put(ServiceOf("t" + number, {{"component", "c" + number}, {"zone", "eu"}}));
    // And with keys that no two have.
    services_.Put(ServiceOf("u" + number, {{"app", "shop"}, {"is-" + number, "true"}}));
  }
  const auto found = services_.Find(
      *ViewOf(PodOf({{"app", "shop"}, {"component", "c7"}, {"is-9", "true"}, {"zone", "eu"}})));
  EXPECT_THAT(Names(found.services), ElementsAre("shop/s7", "shop/t7", "shop/u9"));
  // And the two that came while nobody was under `app=shop`, or under `zone=eu`.
  EXPECT_EQ(found.compared, 5);

  const auto none = services_.Find(*ViewOf(PodOf({{"app", "shop"}, {"version", "1"}})));
  EXPECT_THAT(none.services, IsEmpty());
  EXPECT_EQ(none.compared, 1);
}

TEST_F(ServicesOfPodTest, LabelsWhoseHashesCollideDoNotMultiplyTheWaysToAService) {
  Labels selector;
  Labels labels;
  for (const auto& [of_selector, other] : hostile::CollidingLabels()) {
    selector[of_selector.first] = of_selector.second;
    labels[of_selector.first] = of_selector.second;
    labels[other.first] = other.second;
  }
  ASSERT_EQ(selector.begin()->first, "k00a");
  services_.Put(ServiceOf("web", selector));
  EXPECT_THAT(Of(PodOf(labels)), ElementsAre("shop/web"));
  // Each b leads to where its a does, but is not asked for.
  for (const auto& [key, value] : selector) labels.erase(key);
  EXPECT_THAT(Of(PodOf(labels)), IsEmpty());
}

TEST_F(ServicesOfPodTest, ASelectorMayHaveAsManyLabelsAsAnObjectHolds) {
  Labels labels;
  for (int i = 0; i < 31'000; ++i) labels["k" + std::to_string(100'000 + i)] = "v";
  services_.Put(ServiceOf("all", labels));
  EXPECT_THAT(Of(PodOf(labels)), ElementsAre("shop/all"));
  labels["k131000"] = "v";
  EXPECT_THAT(Of(PodOf(labels)), ElementsAre("shop/all"));
  labels.erase("k115000");
  EXPECT_THAT(Of(PodOf(labels)), IsEmpty());
}

// Compared label by label with all others, or through all beginnings of a selector: 10^10 steps and
// more, beyond the time limit of tests.
TEST_F(ServicesOfPodTest, ManyLargeSelectorsCostAPodNoMoreThanTheirSizes) {
  Labels labels;
  for (int i = 0; i < 20'000; ++i) labels["k" + std::to_string(100'000 + i)] = "v";
  constexpr int kServices = 20;
  for (int i = 0; i < kServices; ++i) {
    services_.Put(ServiceOf("s" + std::to_string(1'000 + i), labels));
  }
  EXPECT_EQ(Of(PodOf(labels)).size(), kServices);
  labels["k120000"] = "v";
  EXPECT_EQ(Of(PodOf(labels)).size(), kServices);
  labels["k119999"] = "other";
  EXPECT_THAT(Of(PodOf(labels)), IsEmpty());
}

TEST_F(ServicesOfPodTest, FindsThoseThatComparingAllSelectorsFinds) {
  std::mt19937 random(5);
  const auto labels = [&random](std::size_t most) {
    Labels made;
    for (std::size_t n = random() % (most + 1); n > 0; --n) {
      made["k" + std::to_string(random() % 6)] = "v" + std::to_string(random() % 2);
    }
    return made;
  };
  std::map<std::string, Labels> selectors;
  std::size_t found = 0;
  for (int round = 0; round < 3'000; ++round) {
    const std::string namespace_ = random() % 4 != 0 ? "shop" : "bank";
    const std::string name = "s" + std::to_string(random() % 40);
    if (random() % 3 == 0) {
      services_.Remove({namespace_, name});
      selectors.erase(namespace_ + "/" + name);
    } else {
      const Labels selector = labels(4);
      services_.Put(ServiceOf(name, selector, namespace_));
      selectors[namespace_ + "/" + name] = selector;
    }
    const Labels its = labels(8);
    std::vector<std::string> expected;
    for (const auto& [service, selector] : selectors) {
      const bool holds = std::ranges::all_of(selector, [&](const auto& pair) {
        const std::string* const value = its.find(pair.first);
        return value != nullptr && *value == pair.second;
      });
      if (service.starts_with(namespace_) && holds && !selector.empty())
        expected.push_back(service);
    }
    ASSERT_EQ(Of(PodOf(its, namespace_)), expected) << round;
    found += expected.size();
  }
  EXPECT_GT(found, 3'000);
}

TEST(PodChange, IsOfTheEndpointIfItsAddressReadinessOrEndIsAnother) {
  const Pod pod = PodOf({{"app", "web"}});
  const auto change = [&pod](const std::function<void(Pod&)>& make) {
    return ChangeBetween(*ViewOf(pod), *ViewOf(Changed(pod, make)));
  };
  EXPECT_EQ(change([](Pod&) {}), PodChange());
  EXPECT_EQ(change([](Pod& its) { its.metadata.annotations["a"] = "b"; }), PodChange());
  EXPECT_EQ(change([](Pod& its) { its.status.phase = "Failed"; }), PodChange());
  EXPECT_EQ(change([](Pod& its) { its.spec.nodeName = "node"; }), PodChange());
  EXPECT_EQ(change([](Pod& its) {
              its.status.conditions[0].lastTransitionTime = api::Time::FromUnix(9);
            }),
            PodChange());

  const PodChange endpoint{.endpoint = true};
  EXPECT_EQ(change([](Pod& its) { its.status.conditions[0].status = "True"; }), endpoint);
  EXPECT_EQ(change([](Pod& its) { its.status.podIPs[0].ip = "10.0.0.2"; }), endpoint);
  EXPECT_EQ(change([](Pod& its) { its.status.podIPs.emplace_back().ip = "fd00::1"; }), endpoint);
  EXPECT_EQ(change([](Pod& its) { its.status.podIPs.clear(); }), endpoint);
  EXPECT_EQ(change([](Pod& its) { its.metadata.deletionTimestamp = api::Time::FromUnix(5); }),
            endpoint);

  const PodChange membership{.membership = true};
  EXPECT_EQ(change([](Pod& its) { its.metadata.labels["app"] = "api"; }), membership);
  EXPECT_EQ(change([](Pod& its) { its.metadata.labels["tier"] = "front"; }), membership);
  EXPECT_EQ(change([](Pod& its) { its.metadata.labels.clear(); }), membership);
  EXPECT_EQ(change([](Pod& its) { its.spec.hostname = "two"; }), membership);
  EXPECT_EQ(change([](Pod& its) { its.spec.subdomain = "others"; }), membership);
  EXPECT_EQ(change([](Pod& its) {
              its.metadata.labels["app"] = "api";
              its.status.conditions[0].status = "True";
            }),
            (PodChange{.endpoint = true, .membership = true}));
}

TEST(PodChange, OfAPodThatIsBeingDeletedIsAlwaysOne) {
  const Pod going = Changed(PodOf({{"app", "web"}}), [](Pod& pod) {
    pod.metadata.deletionTimestamp = api::Time::FromUnix(5);
  });
  const Pod gone = Changed(going, [](Pod& pod) { pod.status.phase = "Failed"; });
  EXPECT_EQ(ChangeBetween(*ViewOf(going), *ViewOf(gone)), PodChange{.endpoint = true});
}

TEST_F(ServicesOfPodTest, AChangeConcernsThoseThatHaveThePodOrHadIt) {
  services_.Put(ServiceOf("api", {{"app", "api"}}));
  services_.Put(ServiceOf("front", {{"tier", "front"}}));
  services_.Put(ServiceOf("web", {{"app", "web"}}));
  const Pod pod = PodOf({{"app", "web"}, {"tier", "front"}});

  // Nothing that matters.
  EXPECT_THAT(ToUpdate(pod, Changed(pod, [](Pod& its) { its.status.phase = "Failed"; })),
              IsEmpty());
  // The endpoint alone.
  const auto get_ready = [](Pod& its) { its.status.conditions[0].status = "True"; };
  EXPECT_THAT(ToUpdate(pod, Changed(pod, get_ready)), ElementsAre("shop/front", "shop/web"));
  // Labels alone: where it stays nothing changes.
  const auto move = [](Pod& its) { its.metadata.labels["app"] = "api"; };
  EXPECT_THAT(ToUpdate(pod, Changed(pod, move)), ElementsAre("shop/api", "shop/web"));
  // Both.
  EXPECT_THAT(ToUpdate(pod, Changed(Changed(pod, move), get_ready)),
              ElementsAre("shop/api", "shop/front", "shop/web"));
  // A resync, whatever it may look like.
  Pod same_version = Changed(pod, get_ready);
  same_version.metadata.resourceVersion = pod.metadata.resourceVersion;
  EXPECT_THAT(ToUpdate(pod, same_version), IsEmpty());
}

}  // namespace
}  // namespace flyball::controllers::common

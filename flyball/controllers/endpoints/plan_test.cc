#include "flyball/controllers/endpoints/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "flyball/controllers/common/internal/pod_fake.h"

namespace flyball::controllers::endpoints {
namespace {

using api::Time;
using core::v1::EndpointAddress;
using core::v1::Pod;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using Action = Plan::Action;

constexpr const char* kManagedBy = "endpoints.kubernetes.io/managed-by";
constexpr const char* kHeadless = "service.kubernetes.io/headless";
constexpr const char* kTriggerTimeKey = "endpoints.kubernetes.io/last-change-trigger-time";
constexpr const char* kOverCapacity = "endpoints.kubernetes.io/over-capacity";

core::v1::ServicePort ServicePortOf(const std::string& name, const api::IntOrString& target,
                                    const std::string& protocol = "TCP") {
  core::v1::ServicePort port;
  port.name = name;
  port.port = 80;
  port.targetPort = target;
  port.protocol = protocol;
  return port;
}

Service ServiceOf(const std::function<void(Service&)>& change = [](Service&) {}) {
  Service service;
  service.metadata.namespace_ = "shop";
  service.metadata.name = "web";
  service.metadata.labels = {{"team", "a"}};
  service.spec.type = "ClusterIP";
  service.spec.clusterIP = "10.96.0.1";
  service.spec.ipFamilies = {"IPv4"};
  service.spec.selector = {{"app", "web"}};
  service.spec.ports.push_back(ServicePortOf("http", api::IntOrString(8080)));
  change(service);
  return service;
}

PodRef PodOf(
    const std::string& name, const std::string& ip, bool ready = true,
    const std::function<void(Pod&)>& change = [](Pod&) {}) {
  Pod pod;
  pod.metadata.namespace_ = "shop";
  pod.metadata.name = name;
  pod.metadata.uid = "uid-" + name;
  pod.metadata.resourceVersion = "7";
  pod.spec.nodeName = "node";
  pod.status.phase = "Running";
  pod.status.podIP = ip;
  pod.status.podIPs.emplace_back().ip = ip;
  pod.status.conditions.push_back(ReadyCondition(Time::FromUnix(100), ready ? "True" : "False"));
  change(pod);
  return ViewOf(pod);
}

Endpoints Written(const Plan& plan) {
  Endpoints endpoints = plan.endpoints;
  endpoints.metadata.resourceVersion = "5";
  return endpoints;
}
/// What there would be of these pods.
Endpoints EndpointsOf(const Service& service, const std::vector<PodRef>& pods) {
  return Written(PlanFor(service, pods, nullptr, {}));
}

std::string Text(const std::vector<EndpointAddress>& addresses) {
  std::string text;
  for (const EndpointAddress& address : addresses) text += (text.empty() ? "" : " ") + address.ip;
  return text;
}
/// "ready | not ready | ports".
std::vector<std::string> Lines(const std::vector<EndpointSubset>& subsets) {
  std::vector<std::string> lines;
  for (const EndpointSubset& subset : subsets) {
    std::string line = Text(subset.addresses) + " | " + Text(subset.notReadyAddresses) + " |";
    for (const auto& port : subset.ports) {
      line += " " + port.name + ":" + std::to_string(port.port) + "/" + port.protocol;
    }
    lines.push_back(line);
  }
  return lines;
}

TEST(EndpointsPlan, CreatesWhatIsNotThere) {
  const Plan plan = PlanFor(ServiceOf([](Service& its) { its.spec.ports[0].appProtocol = "h2c"; }),
                            {PodOf("a", "10.0.0.1")}, nullptr, Time::FromUnix(1'000'000'000));
  Endpoints expected;
  expected.metadata.namespace_ = "shop";
  expected.metadata.name = "web";
  expected.metadata.labels = {{kManagedBy, "endpoint-controller"}, {"team", "a"}};
  expected.metadata.annotations = {{kTriggerTimeKey, "2001-09-09T01:46:40Z"}};
  EndpointSubset& subset = expected.subsets.emplace_back();
  EndpointAddress& address = subset.addresses.emplace_back();
  address.ip = "10.0.0.1";
  address.nodeName = "node";
  auto& target = address.targetRef.emplace();
  target.kind = "Pod";
  target.namespace_ = "shop";
  target.name = "a";
  target.uid = "uid-a";
  auto& port = subset.ports.emplace_back();
  port.name = "http";
  port.port = 8080;
  port.protocol = "TCP";
  port.appProtocol = "h2c";
  EXPECT_EQ(plan, (Plan{Action::kCreate, expected}));
  EXPECT_EQ(plan.ToString(), "create with 1 ready and 0 other addresses");
}

TEST(EndpointsPlan, CreatesThemEmptyWhereThereAreNoPods) {
  const Plan plan = PlanFor(ServiceOf(), {}, nullptr, {});
  EXPECT_EQ(plan.action, Action::kCreate);
  EXPECT_THAT(plan.endpoints.subsets, IsEmpty());
  EXPECT_TRUE(plan.endpoints.metadata.annotations.empty());
}

TEST(EndpointsPlan, LeavesWhatSaysTheSame) {
  const Service service = ServiceOf();
  Endpoints current = EndpointsOf(service, {PodOf("a", "10.0.0.1"), PodOf("b", "10.0.0.2")});
  EXPECT_EQ(PlanFor(service, {PodOf("b", "10.0.0.2"), PodOf("a", "10.0.0.1")}, &current, {}),
            Plan());
  EXPECT_EQ(Plan().ToString(), "leave them");
  // What happened to the pods meanwhile is nobody's matter, nor is when.
  current.subsets[0].addresses[0].targetRef->resourceVersion = "3";
  current.metadata.annotations["mine"] = "yes";
  EXPECT_EQ(PlanFor(service, {PodOf("a", "10.0.0.1"), PodOf("b", "10.0.0.2")}, &current,
                    Time::FromUnix(1'000'000'000)),
            Plan());
  // Nor in which order somebody wrote it.
  std::swap(current.subsets[0].addresses[0], current.subsets[0].addresses[1]);
  EXPECT_EQ(PlanFor(service, {PodOf("a", "10.0.0.1"), PodOf("b", "10.0.0.2")}, &current, {}),
            Plan());
}

TEST(EndpointsPlan, UpdatesWhatDiffersAndKeepsTheRest) {
  const Service service = ServiceOf();
  Endpoints current = EndpointsOf(service, {PodOf("a", "10.0.0.1")});
  current.metadata.uid = "uid";
  current.metadata.annotations = {{"mine", "yes"}, {kTriggerTimeKey, "2001-09-09T01:46:40Z"}};
  current.metadata.labels["stranger"] = "here";
  current.metadata.managedFields.emplace_back().manager = "somebody";
  const Plan plan = PlanFor(service, {PodOf("a", "10.0.0.1", false)}, &current, {});
  EXPECT_EQ(plan.ToString(), "update with 0 ready and 1 other addresses");
  Endpoints expected = current;
  // There is no new time.
  expected.metadata.annotations = {{"mine", "yes"}};
  expected.metadata.labels.erase("stranger");
  expected.metadata.managedFields.clear();
  std::swap(expected.subsets[0].addresses, expected.subsets[0].notReadyAddresses);
  EXPECT_EQ(plan, (Plan{Action::kUpdate, expected}));
}

TEST(EndpointsPlan, LabelsAreTheServices) {
  const Service service = ServiceOf();
  const std::vector<PodRef> pods = {PodOf("a", "10.0.0.1")};
  const Endpoints current = EndpointsOf(service, pods);
  const auto updates = [&](const Service& of, const std::function<void(Endpoints&)>& change) {
    Endpoints changed = current;
    change(changed);
    return PlanFor(of, pods, &changed, {}).action == Action::kUpdate;
  };
  EXPECT_FALSE(updates(service, [](Endpoints&) {}));
  EXPECT_TRUE(updates(service, [](Endpoints& its) { its.metadata.labels["team"] = "b"; }));
  EXPECT_TRUE(updates(service, [](Endpoints& its) { its.metadata.labels.erase("team"); }));
  EXPECT_TRUE(updates(service, [](Endpoints& its) { its.metadata.labels["x"] = "y"; }));
  EXPECT_TRUE(updates(service, [](Endpoints& its) { its.metadata.labels.erase(kManagedBy); }));
  EXPECT_TRUE(updates(service, [](Endpoints& its) { its.metadata.labels[kManagedBy] = "me"; }));
  EXPECT_FALSE(updates(service, [](Endpoints& its) { its.metadata.labels[kHeadless] = ""; }));
  EXPECT_TRUE(
      updates(ServiceOf([](Service& its) { its.metadata.labels.clear(); }), [](Endpoints&) {}));
}

TEST(EndpointsPlan, ThoseOfHeadlessServicesSaySo) {
  const auto labels_of = [](const std::string& cluster_ip) {
    return PlanFor(ServiceOf([&](Service& its) {
                     its.spec.clusterIP = cluster_ip;
                     its.metadata.labels = {{kHeadless, "what"}};
                   }),
                   {}, nullptr, {})
        .endpoints.metadata.labels;
  };
  const api::Map<std::string> headless = {{kHeadless, ""}, {kManagedBy, "endpoint-controller"}};
  EXPECT_EQ(labels_of("None"), headless);
  EXPECT_EQ(labels_of(""), headless);
  EXPECT_EQ(labels_of("10.96.0.1"), (api::Map<std::string>{{kManagedBy, "endpoint-controller"}}));
}

TEST(EndpointsPlan, PodsThatHaveEndedOrHaveNoAddressAreNone) {
  const auto subsets = [](const PodRef& pod) { return Lines(SubsetsOf(ServiceOf(), {pod})); };
  EXPECT_THAT(subsets(PodOf("a", "10.0.0.1")), ElementsAre("10.0.0.1 |  | http:8080/TCP"));
  EXPECT_THAT(subsets(PodOf("a", "10.0.0.1", false)), ElementsAre(" | 10.0.0.1 | http:8080/TCP"));
  for (const std::string phase : {"Succeeded", "Failed"}) {
    EXPECT_THAT(subsets(PodOf("a", "10.0.0.1", true, [&](Pod& pod) { pod.status.phase = phase; })),
                IsEmpty());
  }
  EXPECT_THAT(subsets(PodOf("a", "", true, [](Pod& pod) { pod.status.podIPs.clear(); })),
              IsEmpty());
  const auto end = [](Pod& pod) { pod.metadata.deletionTimestamp = Time::FromUnix(200); };
  EXPECT_THAT(subsets(PodOf("a", "10.0.0.1", true, end)), IsEmpty());
}

TEST(EndpointsPlan, WhoWantsThoseThatAreNotReadyHasThemAsReady) {
  const Service service = ServiceOf([](Service& its) { its.spec.publishNotReadyAddresses = true; });
  const auto end = [](Pod& pod) { pod.metadata.deletionTimestamp = Time::FromUnix(200); };
  const auto fail = [](Pod& pod) { pod.status.phase = "Failed"; };
  EXPECT_THAT(Lines(SubsetsOf(service, {PodOf("a", "10.0.0.1", false), PodOf("b", "10.0.0.2"),
                                        PodOf("c", "10.0.0.3", false, end),
                                        PodOf("d", "10.0.0.4", false, fail)})),
              ElementsAre("10.0.0.1 10.0.0.2 10.0.0.3 |  | http:8080/TCP"));
}

TEST(EndpointsPlan, NamedPortsAreThePodsOwn) {
  const auto with_port = [](const std::string& name, std::int32_t number,
                            const std::string& protocol = "TCP") {
    return [=](Pod& pod) {
      auto& port = pod.spec.containers.emplace_back().ports.emplace_back();
      port.name = name;
      port.containerPort = number;
      port.protocol = protocol;
    };
  };
  const Service service = ServiceOf([](Service& its) {
    its.spec.ports = {ServicePortOf("web", api::IntOrString(std::string("http")))};
  });
  EXPECT_THAT(Lines(SubsetsOf(service, {PodOf("a", "10.0.0.1", true, with_port("http", 80)),
                                        PodOf("b", "10.0.0.2", true, with_port("http", 80)),
                                        PodOf("c", "10.0.0.3", true, with_port("other", 80)),
                                        PodOf("d", "10.0.0.4", true, with_port("http", 80, "UDP")),
                                        PodOf("e", "10.0.0.5", true, with_port("http", 81))})),
              testing::UnorderedElementsAre("10.0.0.1 10.0.0.2 |  | web:80/TCP",
                                            "10.0.0.5 |  | web:81/TCP"));
  // Of containers that start first those that stay count.
  const auto sidecar = [](const std::string& policy) {
    return [policy](Pod& pod) {
      auto& container = pod.spec.initContainers.emplace_back();
      if (!policy.empty()) container.restartPolicy = policy;
      auto& port = container.ports.emplace_back();
      port.name = "http";
      port.containerPort = 90;
      port.protocol = "TCP";
    };
  };
  EXPECT_THAT(Lines(SubsetsOf(service, {PodOf("a", "10.0.0.1", true, sidecar("Always")),
                                        PodOf("b", "10.0.0.2", true, sidecar(""))})),
              ElementsAre("10.0.0.1 |  | web:90/TCP"));
}

TEST(EndpointsPlan, PortsThatSomePodsHaveAndOthersNotMakeSubsets) {
  const Service service = ServiceOf([](Service& its) {
    its.spec.ports = {ServicePortOf("all", api::IntOrString(1)),
                      ServicePortOf("some", api::IntOrString(std::string("some")))};
  });
  const auto with_port = [](Pod& pod) {
    auto& port = pod.spec.containers.emplace_back().ports.emplace_back();
    port.name = "some";
    port.containerPort = 2;
    port.protocol = "TCP";
  };
  EXPECT_THAT(
      Lines(SubsetsOf(service, {PodOf("a", "10.0.0.1", true, with_port), PodOf("b", "10.0.0.2")})),
      testing::UnorderedElementsAre("10.0.0.1 10.0.0.2 |  | all:1/TCP",
                                    "10.0.0.1 |  | some:2/TCP"));
}

TEST(EndpointsPlan, OnlyHeadlessServicesMayDoWithoutPorts) {
  const auto subsets = [](const std::string& cluster_ip) {
    return Lines(SubsetsOf(ServiceOf([&](Service& its) {
                             its.spec.ports.clear();
                             its.spec.clusterIP = cluster_ip;
                           }),
                           {PodOf("a", "10.0.0.1"), PodOf("b", "10.0.0.2", false)}));
  };
  EXPECT_THAT(subsets("None"), ElementsAre("10.0.0.1 | 10.0.0.2 |"));
  EXPECT_THAT(subsets("10.96.0.1"), IsEmpty());
}

TEST(EndpointsPlan, AddressesAreOfTheServicesFirstFamily) {
  const PodRef both = PodOf("a", "10.0.0.1", true,
                            [](Pod& pod) { pod.status.podIPs.emplace_back().ip = "FD00:0::1"; });
  const PodRef v6_first = PodOf("a", "fd00::1", true,
                                [](Pod& pod) { pod.status.podIPs.emplace_back().ip = "10.0.0.1"; });
  const PodRef v4_only = PodOf("b", "10.0.0.2");
  const auto subsets = [](const std::vector<std::string>& families, const std::string& cluster_ip,
                          const PodRef& pod) {
    return Lines(SubsetsOf(ServiceOf([&](Service& its) {
                             its.spec.ipFamilies = families;
                             its.spec.clusterIP = cluster_ip;
                           }),
                           {pod}));
  };
  const auto v4 = ElementsAre("10.0.0.1 |  | http:8080/TCP");
  const auto v6 = ElementsAre("fd00::1 |  | http:8080/TCP");
  EXPECT_THAT(subsets({"IPv4", "IPv6"}, "10.96.0.1", both), v4);
  EXPECT_THAT(subsets({"IPv6", "IPv4"}, "fd01::1", both), v6);
  EXPECT_THAT(subsets({"IPv6"}, "fd01::1", v4_only), IsEmpty());
  // Where the service does not say.
  EXPECT_THAT(subsets({}, "fd01::1", both), v6);
  EXPECT_THAT(subsets({}, "10.96.0.1", v6_first), v4);
  EXPECT_THAT(subsets({}, "None", both), v4);
  EXPECT_THAT(subsets({}, "None", v6_first), v6);
  EXPECT_THAT(subsets({}, "", v6_first), v6);
}

TEST(EndpointsPlan, APodHasItsHostNameInTheDomainOfItsService) {
  const auto hostname = [](const std::string& name, const std::string& subdomain) {
    return SubsetsOf(ServiceOf(), {PodOf("a", "10.0.0.1", true,
                                         [&](Pod& pod) {
                                           pod.spec.hostname = name;
                                           pod.spec.subdomain = subdomain;
                                         })})[0]
        .addresses[0]
        .hostname;
  };
  EXPECT_EQ(hostname("a-0", "web"), "a-0");
  EXPECT_EQ(hostname("a-0", "other"), "");
  EXPECT_EQ(hostname("", "web"), "");
}

/// As many of each as is said, in one subset each.
std::vector<EndpointSubset> Many(const std::vector<std::pair<int, int>>& counts) {
  std::vector<EndpointSubset> subsets;
  for (const auto& [ready, not_ready] : counts) {
    EndpointSubset& subset = subsets.emplace_back();
    subset.addresses.resize(static_cast<std::size_t>(ready));
    subset.notReadyAddresses.resize(static_cast<std::size_t>(not_ready));
  }
  return subsets;
}
std::vector<std::pair<int, int>> Counts(const std::vector<EndpointSubset>& subsets) {
  std::vector<std::pair<int, int>> counts;
  for (const EndpointSubset& subset : subsets) {
    counts.emplace_back(subset.addresses.size(), subset.notReadyAddresses.size());
  }
  return counts;
}
std::vector<std::pair<int, int>> Truncated(const std::vector<std::pair<int, int>>& counts) {
  auto subsets = Many(counts);
  const bool truncated = Truncate(subsets);
  EXPECT_EQ(truncated, Counts(subsets) != counts);
  return Counts(subsets);
}

TEST(EndpointsPlan, MoreThanAThousandAreCutThoseThatAreNotReadyFirst) {
  using std::pair;
  EXPECT_THAT(Truncated({{0, 0}}), ElementsAre(pair(0, 0)));
  EXPECT_THAT(Truncated({{600, 400}}), ElementsAre(pair(600, 400)));
  EXPECT_THAT(Truncated({{600, 401}}), ElementsAre(pair(600, 400)));
  EXPECT_THAT(Truncated({{1001, 5}}), ElementsAre(pair(1000, 0)));
  EXPECT_THAT(Truncated({{1000, 5}}), ElementsAre(pair(1000, 0)));
  // Each its share, rounded up, until there is no more.
  EXPECT_THAT(Truncated({{500, 0}, {500, 0}, {500, 7}}),
              ElementsAre(pair(334, 0), pair(334, 0), pair(332, 0)));
  EXPECT_THAT(Truncated({{100, 1000}, {100, 500}}), ElementsAre(pair(100, 534), pair(100, 266)));
  EXPECT_THAT(Truncated({{1, 0}, {2000, 0}}), ElementsAre(pair(1, 0), pair(999, 0)));
}

TEST(EndpointsPlan, ThoseThatWereCutSaySoAndAreNotWrittenAgainForNothing) {
  const Service service = ServiceOf();
  std::vector<PodRef> pods;
  for (int i = 0; i < 1002; ++i) {
    pods.push_back(PodOf("p" + std::to_string(i),
                         "10.0." + std::to_string(i / 250) + "." + std::to_string(i % 250)));
  }
  Plan plan = PlanFor(service, pods, nullptr, {});
  EXPECT_THAT(plan.endpoints.subsets[0].addresses, SizeIs(1000));
  EXPECT_EQ(plan.endpoints.metadata.annotations,
            (api::Map<std::string>{{kOverCapacity, "truncated"}}));
  EXPECT_EQ(plan.ToString(),
            "create with 1000 ready and 0 other addresses, more than that there is no room for");
  const Endpoints cut = Written(plan);
  EXPECT_EQ(PlanFor(service, pods, &cut, {}), Plan());

  // With fewer pods they are no longer too many.
  pods.resize(1000);
  plan = PlanFor(service, pods, &cut, {});
  EXPECT_EQ(plan.action, Action::kUpdate);
  EXPECT_THAT(plan.endpoints.subsets[0].addresses, SizeIs(1000));
  EXPECT_TRUE(plan.endpoints.metadata.annotations.empty());

  // Somebody has put more into them than there is room for.
  Endpoints full = cut;
  full.metadata.annotations.clear();
  full.subsets[0].addresses.resize(1001);
  EXPECT_EQ(PlanFor(service, pods, &full, {}).action, Action::kUpdate);
}

TEST(EndpointsPlan, SomeEndpointsAreSomebodyElses) {
  EXPECT_TRUE(IsKept(ServiceOf()));
  EXPECT_FALSE(IsKept(ServiceOf([](Service& its) { its.spec.selector.clear(); })));
  EXPECT_FALSE(IsKept(ServiceOf([](Service& its) { its.spec.type = "ExternalName"; })));
  Endpoints endpoints;
  EXPECT_FALSE(IsLock(endpoints));
  endpoints.metadata.annotations["control-plane.alpha.kubernetes.io/leader"] = "{}";
  EXPECT_TRUE(IsLock(endpoints));
}

}  // namespace
}  // namespace flyball::controllers::endpoints

#include "flyball/controllers/endpoint_slice/pod_endpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/controllers/endpoint_slice/internal/endpoint_slice_fake.h"

namespace flyball::controllers::endpoint_slice {
namespace {

using common::IpFamily;
using core::v1::Pod;
using core::v1::Service;
using discovery::v1::Endpoint;
using testing::ElementsAre;
using testing::IsEmpty;

Endpoint EndpointFor(const Pod& pod, const Service& service = FakeService()) {
  const auto node = ViewOf(FakeNode("node", "west"));
  return EndpointOf(*ViewOf(pod), node.get(), service, IpFamily::kV4);
}

/// "ready serving terminating" of those that are true.
std::string Conditions(const Endpoint& endpoint) {
  std::string text;
  if (*endpoint.conditions.ready) text += "ready ";
  if (*endpoint.conditions.serving) text += "serving ";
  if (*endpoint.conditions.terminating) text += "terminating ";
  return text;
}

TEST(PodEndpoint, SaysWhereAPodIs) {
  Endpoint expected;
  expected.addresses = {"10.0.0.1"};
  expected.conditions.ready = expected.conditions.serving = true;
  expected.conditions.terminating = false;
  core::v1::ObjectReference& target = expected.targetRef.emplace();
  target.kind = "Pod";
  target.namespace_ = "shop";
  target.name = "a";
  target.uid = "uid-of-a";
  expected.nodeName = "node";
  expected.zone = "west";
  EXPECT_EQ(EndpointFor(FakePod("a", "10.0.0.1")), expected);
}

TEST(PodEndpoint, DoesNotSayWhatNobodyKnows) {
  Pod pod = FakePod("a", "10.0.0.1");
  pod.spec.nodeName.clear();
  const Endpoint endpoint = EndpointOf(*ViewOf(pod), nullptr, FakeService(), IpFamily::kV6);
  EXPECT_EQ(endpoint.nodeName, std::nullopt);
  EXPECT_EQ(endpoint.zone, std::nullopt);
  EXPECT_EQ(endpoint.hostname, std::nullopt);
  EXPECT_THAT(endpoint.addresses, IsEmpty());
  const auto nowhere = ViewOf(FakeNode("node"));
  EXPECT_EQ(EndpointOf(*ViewOf(pod), nowhere.get(), FakeService(), IpFamily::kV4).zone,
            std::nullopt);
}

TEST(PodEndpoint, IsReadyWhileItServesAndDoesNotEnd) {
  Pod pod = FakePod("a", "10.0.0.1");
  EXPECT_EQ(Conditions(EndpointFor(pod)), "ready serving ");
  pod.metadata.deletionTimestamp = api::Time::FromUnix(1);
  EXPECT_EQ(Conditions(EndpointFor(pod)), "serving terminating ");
  pod.status.conditions[0].status = "False";
  EXPECT_EQ(Conditions(EndpointFor(pod)), "terminating ");
  Service service = FakeService();
  service.spec.publishNotReadyAddresses = true;
  EXPECT_EQ(Conditions(EndpointFor(pod, service)), "ready terminating ");
}

TEST(PodEndpoint, HasAHostNameInTheServicesDomain) {
  Pod pod = FakePod("a", "10.0.0.1");
  pod.spec.hostname = "web-0";
  EXPECT_EQ(EndpointFor(pod).hostname, std::nullopt);
  pod.spec.subdomain = "web";
  EXPECT_EQ(EndpointFor(pod).hostname, "web-0");
}

TEST(PodEndpoint, IsReachedByThePortsThatThePodHas) {
  Service service = FakeService();
  service.spec.ports[0].name = "http";
  service.spec.ports[0].appProtocol = "kubernetes.io/h2c";
  core::v1::ServicePort& named = service.spec.ports.emplace_back();
  named.name = "metrics";
  named.protocol = "TCP";
  named.targetPort = api::IntOrString("metrics");
  Pod pod = FakePod("a", "10.0.0.1");
  const PortNumbers without = PortNumbersIn(*ViewOf(pod), service);
  EXPECT_THAT(without, ElementsAre(8080, std::nullopt));
  core::v1::ContainerPort& port = pod.spec.containers.emplace_back().ports.emplace_back();
  port.name = "metrics";
  port.protocol = "TCP";
  port.containerPort = 9090;
  EXPECT_THAT(PortNumbersIn(*ViewOf(pod), service), ElementsAre(8080, 9090));

  const auto ports = PortsFor(service, without);
  ASSERT_EQ(ports.size(), 1);
  EXPECT_EQ(ports[0].name, "http");
  EXPECT_EQ(ports[0].port, 8080);
  EXPECT_EQ(ports[0].protocol, "TCP");
  EXPECT_EQ(ports[0].appProtocol, "kubernetes.io/h2c");
  EXPECT_EQ(PortsFor(service, {8080, 9090}).size(), 2);
}

}  // namespace
}  // namespace flyball::controllers::endpoint_slice

#include "flyball/controllers/common/endpoint_ports.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "flyball/controllers/common/internal/pod_fake.h"

namespace flyball::controllers::common {
namespace {

using core::v1::ServicePort;
using discovery::v1::EndpointPort;
using testing::ElementsAre;

core::v1::Container ContainerWith(const std::string& port, std::int32_t number,
                                  const std::string& protocol = "TCP") {
  core::v1::Container container;
  container.name = "c";
  core::v1::ContainerPort& its = container.ports.emplace_back();
  its.name = port;
  its.containerPort = number;
  its.protocol = protocol;
  return container;
}

ServicePort To(const std::string& name, const std::string& protocol = "TCP") {
  ServicePort port;
  port.protocol = protocol;
  port.targetPort = api::IntOrString(name);
  return port;
}

TEST(FindPort, TakesANumberAsItIs) {
  ServicePort port;
  port.targetPort = api::IntOrString(8080);
  EXPECT_EQ(FindPort(*ViewOf(core::v1::Pod()), port), 8080);
}

TEST(FindPort, FindsANameInTheFirstContainerThatHasIt) {
  core::v1::Pod pod;
  pod.spec.containers = {ContainerWith("admin", 1), ContainerWith("http", 2),
                         ContainerWith("http", 3)};
  EXPECT_EQ(FindPort(*ViewOf(pod), To("http")), 2);
  EXPECT_EQ(FindPort(*ViewOf(pod), To("none")), std::nullopt);
  EXPECT_EQ(FindPort(*ViewOf(pod), To("http", "UDP")), std::nullopt);
}

TEST(FindPort, LooksIntoSidecarsLastAndNotIntoOtherInitContainers) {
  core::v1::Pod pod;
  pod.spec.containers = {ContainerWith("http", 1)};
  pod.spec.initContainers = {ContainerWith("once", 2), ContainerWith("http", 3),
                             ContainerWith("proxy", 4)};
  pod.spec.initContainers[1].restartPolicy = "Always";
  pod.spec.initContainers[2].restartPolicy = "Always";
  EXPECT_EQ(FindPort(*ViewOf(pod), To("http")), 1);
  EXPECT_EQ(FindPort(*ViewOf(pod), To("proxy")), 4);
  EXPECT_EQ(FindPort(*ViewOf(pod), To("once")), std::nullopt);
}

EndpointPort Port(const std::string& name, std::int32_t number) {
  EndpointPort port;
  port.name = name;
  port.port = number;
  port.protocol = "TCP";
  return port;
}

// What upstream sorts these into, by a program of its module's.
TEST(SortPorts, HasUpstreamsOrder) {
  std::vector<EndpointPort> ports = {Port("http", 80), Port("https", 443), Port("metrics", 9090),
                                     Port("admin", 8081)};
  ports[1].appProtocol = "kubernetes.io/wss";
  SortPorts(ports);
  std::vector<std::string> names;
  for (const EndpointPort& port : ports) names.push_back(*port.name);
  EXPECT_THAT(names, ElementsAre("admin", "https", "http", "metrics"));
}

TEST(PortSetKey, IsTheSameInWhateverOrder) {
  const EndpointPort a = Port("a", 1);
  const EndpointPort b = Port("b", 2);
  EXPECT_EQ(PortSetKey(std::vector{a, b}), PortSetKey(std::vector{b, a}));
  EXPECT_NE(PortSetKey(std::vector{a, b}), PortSetKey(std::vector{a}));
  EXPECT_NE(PortSetKey(std::vector{a}), PortSetKey(std::vector{Port("a", 2)}));
  EXPECT_EQ(PortSetKey({}), "");
}

TEST(PortSetKey, TellsWhatIsNotSaidFromWhatIsEmpty) {
  EndpointPort nothing = Port("", 1);
  nothing.name.reset();
  EXPECT_NE(PortSetKey(std::vector{Port("", 1)}), PortSetKey(std::vector{nothing}));
}

}  // namespace
}  // namespace flyball::controllers::common

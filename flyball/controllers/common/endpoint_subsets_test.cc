#include "flyball/controllers/common/endpoint_subsets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace flyball::controllers::common {
namespace {

using core::v1::EndpointAddress;
using core::v1::EndpointPort;
using core::v1::EndpointSubset;
using testing::ElementsAre;
using testing::IsEmpty;

EndpointAddress Address(const std::string& ip, const std::string& uid = "") {
  EndpointAddress address;
  address.ip = ip;
  if (!uid.empty()) address.targetRef.emplace().uid = uid;
  return address;
}

EndpointPort Port(const std::string& name, std::int32_t number,
                  const std::string& protocol = "TCP") {
  EndpointPort port;
  port.name = name;
  port.port = number;
  port.protocol = protocol;
  return port;
}

EndpointSubset Subset(const std::vector<EndpointAddress>& ready,
                      const std::vector<EndpointAddress>& not_ready,
                      const std::vector<EndpointPort>& ports) {
  EndpointSubset subset;
  subset.addresses = ready;
  subset.notReadyAddresses = not_ready;
  subset.ports = ports;
  return subset;
}

std::string Text(const std::vector<EndpointAddress>& addresses) {
  std::string text;
  for (const EndpointAddress& address : addresses) {
    text += (text.empty() ? "" : " ") + address.ip;
    if (address.targetRef) text += "=" + address.targetRef->uid;
  }
  return text;
}

/// "ready | not ready | ports".
std::vector<std::string> Lines(const std::vector<EndpointSubset>& subsets) {
  std::vector<std::string> lines;
  for (const EndpointSubset& subset : subsets) {
    std::string line = Text(subset.addresses) + " | " + Text(subset.notReadyAddresses) + " |";
    for (const EndpointPort& port : subset.ports) line += " " + port.name;
    lines.push_back(line);
  }
  return lines;
}

TEST(EndpointSubsets, AddressesWithTheSamePortsAreTogether) {
  EXPECT_THAT(Lines(Repacked({Subset({Address("10.0.0.2", "b")}, {}, {Port("http", 80)}),
                              Subset({Address("10.0.0.1", "a")}, {}, {Port("http", 80)}),
                              Subset({}, {Address("10.0.0.3", "c")}, {Port("http", 80)})})),
              ElementsAre("10.0.0.1=a 10.0.0.2=b | 10.0.0.3=c | http"));
}

TEST(EndpointSubsets, PortsWithTheSameAddressesAreTogether) {
  EXPECT_THAT(Lines(Repacked({Subset({Address("10.0.0.1")}, {}, {Port("a", 1)}),
                              Subset({Address("10.0.0.1")}, {}, {Port("b", 2)})})),
              ElementsAre(testing::AnyOf("10.0.0.1 |  | a b", "10.0.0.1 |  | b a")));
}

TEST(EndpointSubsets, AddressesWithOtherPortsAreApart) {
  EXPECT_THAT(Lines(Repacked({Subset({Address("1.1.1.1")}, {}, {Port("a", 1), Port("b", 2)}),
                              Subset({Address("2.2.2.2")}, {}, {Port("b", 2)})})),
              testing::UnorderedElementsAre("1.1.1.1 |  | a", "1.1.1.1 2.2.2.2 |  | b"));
}

TEST(EndpointSubsets, WhatIsNotReadySomewhereIsNotReady) {
  EXPECT_THAT(Lines(Repacked({Subset({Address("1.1.1.1")}, {}, {Port("a", 1)}),
                              Subset({}, {Address("1.1.1.1")}, {Port("a", 1)}),
                              Subset({Address("1.1.1.1")}, {}, {Port("a", 1)})})),
              ElementsAre(" | 1.1.1.1 | a"));
  // At another port it may be ready.
  EXPECT_THAT(Lines(Repacked({Subset({Address("1.1.1.1")}, {}, {Port("a", 1)}),
                              Subset({}, {Address("1.1.1.1")}, {Port("b", 2)})})),
              testing::UnorderedElementsAre("1.1.1.1 |  | a", " | 1.1.1.1 | b"));
}

TEST(EndpointSubsets, AddressesOfDifferentThingsAreDifferent) {
  EXPECT_THAT(Lines(Repacked({Subset({Address("1.1.1.1", "b"), Address("1.1.1.1", "a"),
                                      Address("1.1.1.1"), Address("1.1.1.1", "b")},
                                     {}, {Port("a", 1)})})),
              ElementsAre("1.1.1.1 1.1.1.1=a 1.1.1.1=b |  | a"));
}

TEST(EndpointSubsets, AddressesAreInTheOrderOfTheirTexts) {
  EXPECT_THAT(
      Lines(Repacked({Subset({Address("10.0.0.9"), Address("10.0.0.10"), Address("9.0.0.1")},
                             {Address("fd00::2"), Address("fd00::10")}, {Port("a", 1)})})),
      ElementsAre("10.0.0.10 10.0.0.9 9.0.0.1 | fd00::10 fd00::2 | a"));
}

TEST(EndpointSubsets, ThoseWithoutPortsAreKept) {
  EXPECT_THAT(
      Lines(Repacked({Subset({Address("1.1.1.1")}, {}, {}), Subset({Address("2.2.2.2")}, {}, {})})),
      ElementsAre("1.1.1.1 2.2.2.2 |  |"));
  // Together with the same at a port they are but one.
  EXPECT_THAT(Lines(Repacked({Subset({Address("1.1.1.1")}, {}, {}),
                              Subset({Address("1.1.1.1")}, {}, {Port("a", 1)})})),
              ElementsAre("1.1.1.1 |  | a"));
}

TEST(EndpointSubsets, WithoutAddressesThereIsNothing) {
  EXPECT_THAT(Repacked({}), IsEmpty());
  EXPECT_THAT(Repacked({Subset({}, {}, {Port("a", 1)}), Subset({}, {}, {})}), IsEmpty());
}

TEST(EndpointSubsets, PackedOnesStayAsTheyAre) {
  const auto packed = Repacked({Subset({Address("1.1.1.1", "a")}, {Address("1.1.1.2", "b")},
                                       {Port("a", 1), Port("b", 2), Port("c", 3, "UDP")}),
                                Subset({Address("1.1.1.2", "b")}, {}, {Port("d", 4)})});
  EXPECT_EQ(Repacked(packed), packed);
}

/// What upstream's code makes of the same.
TEST(EndpointSubsets, PortsAndSubsetsAreInUpstreamsOrder) {
  std::vector<EndpointSubset> subsets;
  for (int i = 0; i < 6; ++i) {
    EndpointAddress address = Address("10.0.0." + std::to_string(i));
    if (i % 2 == 0) {
      address.nodeName = "node";
      auto& target = address.targetRef.emplace();
      target.kind = "Pod";
      target.namespace_ = "shop";
      target.name = "pod-" + std::to_string(i);
      target.uid = "uid";
    }
    if (i == 3) address.hostname = "three";
    EndpointSubset& subset = subsets.emplace_back();
    (i == 4 ? subset.notReadyAddresses : subset.addresses).push_back(address);
    subset.ports = {Port("only", 80 + i)};
  }
  EndpointPort dns = Port("f", 53, "UDP");
  dns.appProtocol = "dns";
  subsets.push_back(Subset({Address("10.0.1.1")}, {},
                           {Port("a", 8080), Port("b", 8081), Port("c", 8082), Port("d", 8083),
                            Port("e", 8084), dns, Port("", 1)}));
  subsets.push_back(Subset({Address("10.0.1.2")}, {}, {}));
  EXPECT_THAT(Lines(Repacked(subsets)),
              ElementsAre("10.0.0.5 |  | only", "10.0.1.2 |  |", "10.0.0.3 |  | only",
                          "10.0.0.1 |  | only", "10.0.0.0=uid |  | only", " | 10.0.0.4=uid | only",
                          "10.0.0.2=uid |  | only", "10.0.1.1 |  | e f  a c b d"));
}

}  // namespace
}  // namespace flyball::controllers::common

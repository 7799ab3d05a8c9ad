#include "flyball/controllers/endpoint_slice/service_slices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/controllers/endpoint_slice/internal/endpoint_slice_fake.h"

namespace flyball::controllers::endpoint_slice {
namespace {

using common::IpFamily;
using core::v1::Service;
using discovery::v1::EndpointSlice;
using testing::ElementsAre;
using Labels = api::Map<std::string>;

TEST(ServiceSlices, AreForThoseWithASelectorAndAddresses) {
  Service service = FakeService();
  EXPECT_TRUE(HasSlices(service));
  service.spec.type = "ExternalName";
  EXPECT_FALSE(HasSlices(service));
  service = FakeService();
  service.spec.selector.clear();
  EXPECT_FALSE(HasSlices(service));
}

TEST(ServiceSlices, AreOfTheServicesFamiliesInItsOrder) {
  Service service = FakeService();
  service.spec.ipFamilies = {"IPv6", "IPv4"};
  EXPECT_THAT(FamiliesOf(service), ElementsAre(IpFamily::kV6, IpFamily::kV4));
}

TEST(ServiceSlices, OfAServerThatKnowsNoFamiliesGoByTheAddress) {
  Service service = FakeService();
  service.spec.ipFamilies.clear();
  EXPECT_THAT(FamiliesOf(service), ElementsAre(IpFamily::kV4));
  service.spec.clusterIP = "fd00::1";
  EXPECT_THAT(FamiliesOf(service), ElementsAre(IpFamily::kV6));
  service.spec.clusterIP = "None";
  EXPECT_THAT(FamiliesOf(service), ElementsAre(IpFamily::kV4, IpFamily::kV6));
}

TEST(ServiceSlices, SayWhoseTheyAre) {
  Service service = FakeService();
  service.metadata.labels = {{"team", "blue"}, {"service.kubernetes.io/headless", "no"}};
  const EndpointSlice slice = NewSlice(service, IpFamily::kV6, {});
  EXPECT_EQ(slice.metadata.namespace_, "shop");
  EXPECT_EQ(slice.metadata.generateName, "web-");
  EXPECT_EQ(slice.addressType, "IPv6");
  EXPECT_EQ(slice.metadata.labels,
            (Labels{{"endpointslice.kubernetes.io/managed-by", "endpointslice-controller.k8s.io"},
                    {"kubernetes.io/service-name", "web"},
                    {"team", "blue"}}));
  ASSERT_EQ(slice.metadata.ownerReferences.size(), 1);
  const auto& owner = slice.metadata.ownerReferences[0];
  EXPECT_EQ(owner.apiVersion, "v1");
  EXPECT_EQ(owner.kind, "Service");
  EXPECT_EQ(owner.name, "web");
  EXPECT_EQ(owner.uid, "uid-of-web");
  EXPECT_EQ(owner.controller, true);
  EXPECT_EQ(owner.blockOwnerDeletion, true);
  EXPECT_TRUE(IsOwnedBy(service, slice));
}

TEST(ServiceSlices, SayThatTheServiceIsHeadless) {
  Service service = FakeService();
  service.spec.clusterIP = "None";
  const EndpointSlice slice = NewSlice(service, IpFamily::kV4, {});
  ASSERT_NE(slice.metadata.labels.find("service.kubernetes.io/headless"), nullptr);
  EXPECT_EQ(*slice.metadata.labels.find("service.kubernetes.io/headless"), "");
}

TEST(ServiceSlices, AreNotThoseOfAServiceThatWasCalledSoBefore) {
  Service service = FakeService();
  const EndpointSlice slice = NewSlice(service, IpFamily::kV4, {});
  service.metadata.uid = "another";
  EXPECT_FALSE(IsOwnedBy(service, slice));
}

TEST(ServiceSlices, HaveTheServicesLabels) {
  Service service = FakeService();
  service.metadata.labels = {{"team", "blue"}};
  EndpointSlice slice = NewSlice(service, IpFamily::kV4, {});
  EXPECT_TRUE(HasLabelsOf(service, slice));
  service.spec.clusterIP = "None";
  EXPECT_TRUE(HasLabelsOf(service, slice)) << "as upstream's, who would not mind";
  service.metadata.labels = {{"team", "red"}};
  EXPECT_FALSE(HasLabelsOf(service, slice));
  slice.metadata.labels.insert_or_assign("team", "red");
  slice.metadata.labels.insert_or_assign("more", "");
  EXPECT_FALSE(HasLabelsOf(service, slice));
}

TEST(ServiceSlices, LookTheSameWhoeverOwnsThem) {
  const EndpointSlice slice = NewSlice(FakeService(), IpFamily::kV4, {});
  EndpointSlice other = slice;
  other.metadata.name = "web-abcde";
  other.metadata.ownerReferences.clear();
  EXPECT_TRUE(LookTheSame(slice, other));
  other.metadata.labels.clear();
  EXPECT_FALSE(LookTheSame(slice, other));
  other = slice;
  other.endpoints.emplace_back();
  EXPECT_FALSE(LookTheSame(slice, other));
  other = slice;
  other.ports.emplace_back();
  EXPECT_FALSE(LookTheSame(slice, other));
}

TEST(ServiceSlices, HaveHintsIfAnAnnotationSaysSoTheOlderFirst) {
  Service service = FakeService();
  EXPECT_FALSE(WantsZoneHints(service));
  service.metadata.annotations = {{"service.kubernetes.io/topology-mode", "Auto"}};
  EXPECT_TRUE(WantsZoneHints(service));
  service.metadata.annotations["service.kubernetes.io/topology-aware-hints"] = "Disabled";
  EXPECT_FALSE(WantsZoneHints(service));
  service.metadata.annotations["service.kubernetes.io/topology-aware-hints"] = "auto";
  EXPECT_TRUE(WantsZoneHints(service));
}

TEST(ServiceSlices, HaveHintsByDistributionUnlessByZone) {
  Service service = FakeService();
  EXPECT_EQ(TrafficDistributionOf(service), std::nullopt);
  for (const char* const known : {"PreferClose", "PreferSameZone", "PreferSameNode"}) {
    service.spec.trafficDistribution = known;
    EXPECT_EQ(TrafficDistributionOf(service), known);
  }
  service.spec.trafficDistribution = "PreferTheMoon";
  EXPECT_EQ(TrafficDistributionOf(service), std::nullopt);
  service.spec.trafficDistribution = "PreferClose";
  service.metadata.annotations = {{"service.kubernetes.io/topology-mode", "Auto"}};
  EXPECT_EQ(TrafficDistributionOf(service), std::nullopt);
}

}  // namespace
}  // namespace flyball::controllers::endpoint_slice

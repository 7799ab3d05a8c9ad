#include "flyball/controllers/common/pod_address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/controllers/common/internal/pod_fake.h"

namespace flyball::controllers::common {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

core::v1::Pod PodWith(const std::vector<std::string>& addresses) {
  core::v1::Pod pod;
  pod.metadata.namespace_ = "shop";
  for (const std::string& address : addresses) pod.status.podIPs.emplace_back().ip = address;
  if (!addresses.empty()) pod.status.podIP = addresses.front();
  return pod;
}

TEST(AddressesOf, AreThoseOfTheFamily) {
  const auto pod = ViewOf(PodWith({"10.0.0.1", "FD00::1", "nonsense"}));
  EXPECT_THAT(AddressesOf(*pod, IpFamily::kV4), ElementsAre("10.0.0.1"));
  EXPECT_THAT(AddressesOf(*pod, IpFamily::kV6), ElementsAre("fd00::1"));
  EXPECT_THAT(AddressesOf(*ViewOf(PodWith({})), IpFamily::kV4), IsEmpty());
}

TEST(CanBeEndpoint, WantsAnAddressAndAPodThatHasNotEnded) {
  core::v1::Pod pod = PodWith({"10.0.0.1"});
  EXPECT_TRUE(CanBeEndpoint(*ViewOf(pod)));
  pod.status.phase = "Running";
  EXPECT_TRUE(CanBeEndpoint(*ViewOf(pod)));
  pod.status.phase = "Succeeded";
  EXPECT_FALSE(CanBeEndpoint(*ViewOf(pod)));
  pod.status.phase = "Failed";
  EXPECT_FALSE(CanBeEndpoint(*ViewOf(pod)));
  EXPECT_FALSE(CanBeEndpoint(*ViewOf(PodWith({}))));
}

TEST(HasHostnameIn, WantsTheServicesOwnDomain) {
  core::v1::Service service;
  service.metadata.namespace_ = "shop";
  service.metadata.name = "web";
  core::v1::Pod pod = PodWith({});
  EXPECT_FALSE(HasHostnameIn(*ViewOf(pod), service));
  pod.spec.hostname = "web-0";
  EXPECT_FALSE(HasHostnameIn(*ViewOf(pod), service));
  pod.spec.subdomain = "web";
  EXPECT_TRUE(HasHostnameIn(*ViewOf(pod), service));
  pod.metadata.namespace_ = "other";
  EXPECT_FALSE(HasHostnameIn(*ViewOf(pod), service));
}

}  // namespace
}  // namespace flyball::controllers::common

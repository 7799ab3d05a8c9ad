#include "flyball/endpoints/authentication/cluster_authentication_info.h"

#include "flyball/base/fake_clock.h"
#include "flyball/serving/certificates.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::endpoints {
namespace {

using testing::ElementsAre;

std::string AuthorityNamed(const std::string& name) {
  return serving::CertificateAuthority::Make(name, FakeClock::kStart)->self().certificate_pem;
}

class ClusterAuthenticationInfoTest : public testing::Test {
 protected:
  ClusterAuthenticationInfoTest() {
    map_.data["client-ca-file"] = clients_;
    map_.data["requestheader-client-ca-file"] = proxies_;
    map_.data["requestheader-allowed-names"] = R"(["front-proxy-client"])";
    map_.data["requestheader-username-headers"] = R"(["X-Remote-User"])";
    map_.data["requestheader-uid-headers"] = R"(["X-Remote-Uid"])";
    map_.data["requestheader-group-headers"] = R"(["X-Remote-Group","X-Other"])";
    map_.data["requestheader-extra-headers-prefix"] = R"(["X-Remote-Extra-"])";
  }

  const std::string clients_ = AuthorityNamed("clients");
  const std::string proxies_ = AuthorityNamed("proxies");
  core::v1::ConfigMap map_;
  ClusterAuthenticationInfo authentication_info_;
};

TEST_F(ClusterAuthenticationInfoTest, IsReadFromTheClustersConfigMap) {
  ASSERT_TRUE(ReadClusterAuthenticationInfo(map_, {.clients = true, .proxies = true},
                                            authentication_info_));
  EXPECT_EQ(authentication_info_.clients->pem, clients_);
  EXPECT_EQ(authentication_info_.proxies->pem, proxies_);
  EXPECT_THAT(authentication_info_.proxy_names, ElementsAre("front-proxy-client"));
  EXPECT_EQ(authentication_info_.proxy_headers,
            (FrontProxyHeaders{.username = {"X-Remote-User"},
                               .uid = {"X-Remote-Uid"},
                               .group = {"X-Remote-Group", "X-Other"},
                               .extra_prefix = {"X-Remote-Extra-"}}));
  EXPECT_EQ(authentication_info_.AllRoots(), clients_ + proxies_);
}

TEST_F(ClusterAuthenticationInfoTest, OnlyThePartsThatAreTheClustersAreRead) {
  ASSERT_TRUE(ReadClusterAuthenticationInfo(map_, {.proxies = true}, authentication_info_));
  EXPECT_FALSE(authentication_info_.clients);
  EXPECT_TRUE(authentication_info_.proxies);
}

TEST_F(ClusterAuthenticationInfoTest, WhatIsMissingOrMalformedStaysAsItWas) {
  ASSERT_TRUE(ReadClusterAuthenticationInfo(map_, {.clients = true, .proxies = true},
                                            authentication_info_));
  const FrontProxyHeaders before = authentication_info_.proxy_headers;
  map_.data["client-ca-file"] = "";
  map_.data["requestheader-client-ca-file"] = "not PEM";
  map_.data["requestheader-group-headers"] = "[1]";
  EXPECT_FALSE(ReadClusterAuthenticationInfo(map_, {.clients = true, .proxies = true},
                                             authentication_info_));
  EXPECT_EQ(authentication_info_.clients->pem, clients_);
  EXPECT_EQ(authentication_info_.proxies->pem, proxies_);
  EXPECT_EQ(authentication_info_.proxy_headers, before);
}

}  // namespace
}  // namespace flyball::endpoints

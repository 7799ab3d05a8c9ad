#include "flyball/endpoints/authentication/trust.h"

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

class TrustTest : public testing::Test {
 protected:
  TrustTest() {
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
  Trust trust_;
};

TEST_F(TrustTest, IsReadFromTheClustersConfigMap) {
  ASSERT_TRUE(ReadClusterTrust(map_, {.clients = true, .proxies = true}, trust_));
  EXPECT_EQ(trust_.clients->pem, clients_);
  EXPECT_EQ(trust_.proxies->pem, proxies_);
  EXPECT_THAT(trust_.proxy_names, ElementsAre("front-proxy-client"));
  EXPECT_EQ(trust_.proxy_headers, (FrontProxyHeaders{.username = {"X-Remote-User"},
                                                     .uid = {"X-Remote-Uid"},
                                                     .group = {"X-Remote-Group", "X-Other"},
                                                     .extra_prefix = {"X-Remote-Extra-"}}));
  EXPECT_EQ(trust_.AllRoots(), clients_ + proxies_);
}

TEST_F(TrustTest, OnlyThePartsThatAreTheClustersAreRead) {
  ASSERT_TRUE(ReadClusterTrust(map_, {.proxies = true}, trust_));
  EXPECT_FALSE(trust_.clients);
  EXPECT_TRUE(trust_.proxies);
}

TEST_F(TrustTest, WhatIsMissingOrMalformedStaysAsItWas) {
  ASSERT_TRUE(ReadClusterTrust(map_, {.clients = true, .proxies = true}, trust_));
  const FrontProxyHeaders before = trust_.proxy_headers;
  map_.data["client-ca-file"] = "";
  map_.data["requestheader-client-ca-file"] = "not PEM";
  map_.data["requestheader-group-headers"] = "[1]";
  EXPECT_FALSE(ReadClusterTrust(map_, {.clients = true, .proxies = true}, trust_));
  EXPECT_EQ(trust_.clients->pem, clients_);
  EXPECT_EQ(trust_.proxies->pem, proxies_);
  EXPECT_EQ(trust_.proxy_headers, before);
}

}  // namespace
}  // namespace flyball::endpoints

#include "flyball/api/image_reference.h"

#include <string>

#include "gtest/gtest.h"

namespace flyball::api {
namespace {

const std::string kSha256 = "sha256:" + std::string(64, 'a');

TEST(ImageTag, IsLatestWhereNeitherTagNorDigestIsGiven) {
  EXPECT_EQ(ImageTag("nginx"), "latest");
  EXPECT_EQ(ImageTag("team/nginx"), "latest");
  EXPECT_EQ(ImageTag("registry.example:5000/team/nginx"), "latest");
  EXPECT_EQ(ImageTag("nginx:v1"), "v1");
  EXPECT_EQ(ImageTag("nginx@" + kSha256), "");
  EXPECT_EQ(ImageTag("nginx:latest@" + kSha256), "latest");
}

TEST(ImageTag, APortIsNoTagUnlessNothingFollowsIt) {
  EXPECT_EQ(ImageTag("localhost:5000"), "5000");
  EXPECT_EQ(ImageTag("localhost:5000/web"), "latest");
  EXPECT_EQ(ImageTag("[::1]:5000/web:2"), "2");
  EXPECT_EQ(ImageTag("registry:tag/web"), "");
}

TEST(ImageTag, WhatIsNoReferenceHasNone) {
  for (const std::string& image : {std::string(),
                                   std::string("Nginx"),
                                   std::string("a//b"),
                                   std::string("/a"),
                                   std::string("a/"),
                                   std::string("a:"),
                                   std::string("a:-b"),
                                   std::string("a@sha256:00"),
                                   std::string("a@md5:") + std::string(32, '0'),
                                   std::string("a b"),
                                   std::string("a___b"),
                                   std::string("a..b"),
                                   std::string("a-"),
                                   std::string("registry.example/Web"),
                                   std::string("[::1/web"),
                                   std::string("ä"),
                                   std::string(64, 'f'),
                                   "a:" + std::string(129, 't'),
                                   std::string(248, 'a'),
                                   "nginx@" + kSha256 + "@" + kSha256}) {
    EXPECT_EQ(ImageTag(image), "") << image;
  }
}

TEST(ImageTag, TheRegistryDoesNotCountInTheLengthOfAName) {
  EXPECT_EQ(ImageTag(std::string(247, 'a')), "latest");  // "library/" comes in front
  EXPECT_EQ(ImageTag("registry.example/" + std::string(255, 'a')), "latest");
  EXPECT_EQ(ImageTag("registry.example/" + std::string(256, 'a')), "");
  EXPECT_EQ(ImageTag("docker.io/" + std::string(248, 'a')), "");
}

TEST(ImageTag, WhatLooksLikeAHostMayBeAFolder) {
  EXPECT_EQ(ImageTag("TEAM/web"), "latest");
  EXPECT_EQ(ImageTag("team_a.b/web"), "latest");
  EXPECT_EQ(ImageTag("a--b__c.d/web"), "latest");
  EXPECT_EQ(ImageTag("-team.b/web"), "");
}

}  // namespace
}  // namespace flyball::api

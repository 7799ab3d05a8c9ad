#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/api/apps/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/crds/web/v1.h"
#include "flyball/operator/conditions.h"
#include "flyball/testkit/test_cluster.h"
#include "website_controller.h"

namespace website {
namespace {

using flyball::apps::v1::Deployment;
using flyball::core::v1::ConfigMap;
using flyball::core::v1::Service;
using flyball::testkit::TestCluster;
using flyball::web::v1::Website;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const flyball::api::ObjectKey kShop = {"default", "shop"};

class WebsiteTest : public testing::Test {
 protected:
  WebsiteTest() {
    cluster_.Install(WEBSITE_CRD);
    cluster_.StartOperator(AddWebsiteController, {.name = "website-operator"});
  }

  void CreateShop() {
    Website site;
    site.metadata.namespace_ = kShop.namespace_;
    site.metadata.name = kShop.name;
    site.spec.html = "<h1>Open</h1>";
    site.spec.host = "shop.example.com";
    site.spec.replicas = 2;
    cluster_.Create(site);
  }
  bool IsReady() {
    const Website site = cluster_.Get<Website>(kShop);
    return site.status && flyball::IsTrue(site.status->conditions, "Ready");
  }

  TestCluster cluster_;
};

TEST_F(WebsiteTest, ServesAPage) {
  CreateShop();
  ASSERT_TRUE(cluster_.Eventually([&] { return IsReady(); })) << cluster_.Log();

  EXPECT_EQ(cluster_.Get<ConfigMap>(kShop).data["index.html"], "<h1>Open</h1>");
  EXPECT_EQ(cluster_.Get<Deployment>(kShop).status.readyReplicas, 2);
  EXPECT_EQ(cluster_.Get<Service>(kShop).spec.ports[0].port, 80);
  EXPECT_EQ(cluster_.Get<Website>(kShop).status->readyReplicas, 2);
  EXPECT_THAT(cluster_.EventsAbout("shop"), Contains("Normal Served: shop.example.com is served"));
}

TEST_F(WebsiteTest, WritesNothingWhereNothingIsToBeChanged) {
  CreateShop();
  ASSERT_TRUE(cluster_.Eventually([&] { return IsReady(); }));
  cluster_.Pass(std::chrono::seconds(5));
  const auto before = cluster_.Writes();
  cluster_.Pass(std::chrono::hours(1));
  EXPECT_EQ(cluster_.Writes(), before);
}

TEST_F(WebsiteTest, ChangesWhatIsServedWithItsSpec) {
  CreateShop();
  ASSERT_TRUE(cluster_.Eventually([&] { return IsReady(); }));
  Website site = cluster_.Get<Website>(kShop);
  site.spec.html = "<h1>Closed</h1>";
  site.spec.replicas = 3;
  cluster_.Update(site);
  EXPECT_TRUE(cluster_.Eventually([&] {
    return cluster_.Get<ConfigMap>(kShop).data["index.html"] == "<h1>Closed</h1>" &&
           cluster_.Get<Website>(kShop).status->readyReplicas == 3;
  }));
}

TEST_F(WebsiteTest, PutsBackWhatOthersChangeAndLeavesWhatTheyAdd) {
  CreateShop();
  ASSERT_TRUE(cluster_.Eventually([&] { return IsReady(); }));
  ConfigMap page = cluster_.Get<ConfigMap>(kShop);
  page.data["index.html"] = "defaced";
  page.data["robots.txt"] = "Disallow: /";
  cluster_.Update(page);
  cluster_.Pass(std::chrono::seconds(5));
  page = cluster_.Get<ConfigMap>(kShop);
  EXPECT_EQ(page.data["index.html"], "<h1>Open</h1>");
  EXPECT_EQ(page.data["robots.txt"], "Disallow: /");
}

TEST_F(WebsiteTest, MakesAgainWhatIsDeleted) {
  CreateShop();
  ASSERT_TRUE(cluster_.Eventually([&] { return IsReady(); }));
  cluster_.Delete<Service>(kShop);
  EXPECT_TRUE(cluster_.Eventually([&] { return cluster_.Exists<Service>(kShop); }));
}

TEST_F(WebsiteTest, LeavesAloneWhatIsNotItsOwn) {
  ConfigMap other;
  other.metadata.namespace_ = kShop.namespace_;
  other.metadata.name = kShop.name;
  other.data["index.html"] = "somebody's";
  cluster_.Create(other);
  cluster_.Pass(std::chrono::seconds(1));
  CreateShop();
  cluster_.Pass(std::chrono::minutes(1));
  EXPECT_EQ(cluster_.Get<ConfigMap>(kShop).data["index.html"], "somebody's");
  EXPECT_THAT(cluster_.Log(), HasSubstr("shop already exists and has no controller"));
}

TEST_F(WebsiteTest, RunsTheFinalizerBeforeTheWebsiteAndItsObjectsAreDeleted) {
  CreateShop();
  ASSERT_TRUE(cluster_.Eventually([&] { return IsReady(); }));
  cluster_.Delete<Website>(kShop);
  EXPECT_TRUE(cluster_.Eventually([&] {
    return !cluster_.Exists<Website>(kShop) && !cluster_.Exists<ConfigMap>(kShop) &&
           !cluster_.Exists<Deployment>(kShop) && !cluster_.Exists<Service>(kShop);
  }));
  EXPECT_THAT(cluster_.EventsAbout("shop"),
              Contains("Normal Withdrawn: shop.example.com is no longer served"));
}

TEST_F(WebsiteTest, GoesOnWhereItWasAfterARestart) {
  CreateShop();
  ASSERT_TRUE(cluster_.Eventually([&] { return IsReady(); }));
  const std::string version = cluster_.Get<Website>(kShop).metadata.resourceVersion;
  cluster_.StopOperator();
  cluster_.StartOperator(AddWebsiteController, {.name = "website-operator"});
  cluster_.Pass(std::chrono::minutes(1));
  EXPECT_EQ(cluster_.Get<Website>(kShop).metadata.resourceVersion, version);
}

}  // namespace
}  // namespace website

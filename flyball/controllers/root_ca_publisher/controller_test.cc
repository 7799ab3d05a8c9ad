#include "flyball/controllers/root_ca_publisher/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/controllers/common/internal/controller_fixture.h"

namespace flyball::controllers::root_ca_publisher {
namespace {

using core::v1::ConfigMap;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const api::Map<std::string> kData = {{"ca.crt", "PEM"}};

class RootCaPublisherTest : public ControllerFixture {
 protected:
  RootCaPublisherTest() { CreateNamespace("team"); }

  void PlayAfterStart(const std::function<void()>& test) {
    Play(Make(deps(), {.root_ca = "PEM"}), [&] {
      Pass(seconds(1));
      TakeSent();
      test();
    });
  }
  api::Map<std::string> DataIn(const std::string& space) {
    const auto map = All<ConfigMap>().Get({space, "kube-root-ca.crt"});
    return map ? map->data : api::Map<std::string>();
  }
};

TEST_F(RootCaPublisherTest, NamespacesGetTheirConfigMapWhetherTheyAreOldOrNew) {
  PlayAfterStart([&] {
    EXPECT_EQ(DataIn("team"), kData);
    CreateNamespace("new");
    Pass(seconds(1));
    EXPECT_THAT(TakeRequests(), ElementsAre("POST /api/v1/namespaces/new/configmaps"));
    EXPECT_EQ(DataIn("new"), kData);
  });
  EXPECT_THAT(metrics_.Text(), HasSubstr("root_ca_cert_publisher_sync_total{code=\"200\"}"));
  EXPECT_THAT(metrics_.Text(),
              HasSubstr("root_ca_cert_publisher_sync_duration_seconds_count{code=\"200\"}"));
}

TEST_F(RootCaPublisherTest, WhatIsChangedOrDeletedIsSetRight) {
  PlayAfterStart([&] {
    auto map = *All<ConfigMap>().Get({"team", "kube-root-ca.crt"});
    map.data = {{"ca.crt", "another"}, {"more", "data"}};
    map.metadata.labels = {{"kept", "yes"}};
    EXPECT_TRUE(All<ConfigMap>().Update(map));
    Pass(seconds(1));
    EXPECT_THAT(TakeRequests(),
                ElementsAre("PUT /api/v1/namespaces/team/configmaps/kube-root-ca.crt"));
    const auto right = All<ConfigMap>().Get({"team", "kube-root-ca.crt"});
    EXPECT_EQ(right->data, kData);
    EXPECT_EQ(right->metadata.labels, map.metadata.labels);

    EXPECT_TRUE(All<ConfigMap>().Delete({"team", "kube-root-ca.crt"}));
    Pass(seconds(1));
    EXPECT_THAT(TakeRequests(), ElementsAre("POST /api/v1/namespaces/team/configmaps"));
    EXPECT_EQ(DataIn("team"), kData);
  });
}

TEST_F(RootCaPublisherTest, OtherConfigMapsAreNoneOfItsBusiness) {
  PlayAfterStart([&] {
    ConfigMap other;
    other.metadata.namespace_ = "team";
    other.metadata.name = "other";
    EXPECT_TRUE(All<ConfigMap>().Create(other));
    EXPECT_TRUE(All<ConfigMap>().Delete({"team", "other"}));
    Pass(seconds(1));
    EXPECT_THAT(TakeRequests(), IsEmpty());
  });
}

TEST_F(RootCaPublisherTest, ANamespaceThatGoesIsLeftAlone) {
  PlayAfterStart([&] {
    EXPECT_TRUE(All<core::v1::Namespace>().Delete({"", "team"}));
    Pass(seconds(1));
    EXPECT_TRUE(All<ConfigMap>().Delete({"team", "kube-root-ca.crt"}));
    Pass(seconds(100));
    EXPECT_THAT(TakeRequests(), IsEmpty());
  });
}

TEST_F(RootCaPublisherTest, ANamespaceThatGoesUnderItsHandsIsAskedOnce) {
  PlayAfterStart([&] {
    before_next_request_ = [this] { EXPECT_TRUE(All<core::v1::Namespace>().Delete({"", "team"})); };
    EXPECT_TRUE(All<ConfigMap>().Delete({"team", "kube-root-ca.crt"}));
    Pass(seconds(100));
    EXPECT_THAT(TakeRequests(), ElementsAre("POST /api/v1/namespaces/team/configmaps"));
  });
}

TEST_F(RootCaPublisherTest, AWriteThatMeetsAnotherIsTriedAgain) {
  PlayAfterStart([&] {
    before_next_request_ = [this] {
      auto map = *All<ConfigMap>().Get({"team", "kube-root-ca.crt"});
      map.metadata.labels = {{"meanwhile", "yes"}};
      EXPECT_TRUE(All<ConfigMap>().Update(map));
    };
    auto map = *All<ConfigMap>().Get({"team", "kube-root-ca.crt"});
    map.data = {};
    EXPECT_TRUE(All<ConfigMap>().Update(map));
    Pass(seconds(1));
    EXPECT_EQ(TakeRequests().size(), 2);
    EXPECT_EQ(DataIn("team"), kData);
  });
  EXPECT_THAT(metrics_.Text(), HasSubstr("root_ca_cert_publisher_sync_total{code=\"409\"} 1\n"));
}

}  // namespace
}  // namespace flyball::controllers::root_ca_publisher

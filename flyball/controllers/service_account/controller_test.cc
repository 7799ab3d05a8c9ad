#include "flyball/controllers/service_account/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/controllers/common/internal/controller_fixture.h"

namespace flyball::controllers::service_account {
namespace {

using core::v1::ServiceAccount;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

class ServiceAccountTest : public ControllerFixture {
 protected:
  /// The namespaces that are there from the start have had theirs.
  void PlayAfterStart(const std::function<void()>& test) {
    Play(Make(deps()), [&] {
      Pass(seconds(1));
      TakeSent();
      test();
    });
  }
};

TEST_F(ServiceAccountTest, NamespacesGetTheirAccountWhetherTheyAreOldOrNew) {
  CreateNamespace("old");
  Play(Make(deps()), [&] {
    Pass(seconds(1));
    EXPECT_TRUE(All<ServiceAccount>().Get({"old", "default"}));
    EXPECT_TRUE(All<ServiceAccount>().Get({"kube-system", "default"}));
    TakeSent();

    CreateNamespace("new");
    Pass(seconds(1));
    const auto sent = TakeSent();
    ASSERT_EQ(sent.size(), 1);
    EXPECT_EQ(sent[0].request, "POST /api/v1/namespaces/new/serviceaccounts");
    EXPECT_EQ(sent[0].body, R"({"kind":"ServiceAccount","apiVersion":"v1",)"
                            R"("metadata":{"name":"default","namespace":"new"}})");
    EXPECT_TRUE(All<ServiceAccount>().Get({"new", "default"}));
  });
}

TEST_F(ServiceAccountTest, AnAccountThatIsDeletedComesBack) {
  CreateNamespace("team");
  PlayAfterStart([&] {
    EXPECT_TRUE(All<ServiceAccount>().Delete({"team", "default"}));
    Pass(seconds(1));
    EXPECT_THAT(TakeRequests(), ElementsAre("POST /api/v1/namespaces/team/serviceaccounts"));
    EXPECT_TRUE(All<ServiceAccount>().Get({"team", "default"}));
  });
}

TEST_F(ServiceAccountTest, ANamespaceThatGoesGetsNone) {
  CreateNamespace("team");
  PlayAfterStart([&] {
    EXPECT_TRUE(All<core::v1::Namespace>().Delete({"", "team"}));
    Pass(seconds(1));
    EXPECT_TRUE(All<ServiceAccount>().Delete({"team", "default"}));
    Pass(seconds(1));
    EXPECT_THAT(TakeRequests(), IsEmpty());
  });
}

TEST_F(ServiceAccountTest, WhatGoesUnderItsHandsIsNotTriedAgain) {
  CreateNamespace("team");
  PlayAfterStart([&] {
    before_next_request_ = [this] { EXPECT_TRUE(All<core::v1::Namespace>().Delete({"", "team"})); };
    EXPECT_TRUE(All<ServiceAccount>().Delete({"team", "default"}));
    Pass(seconds(100));
    EXPECT_THAT(TakeRequests(), ElementsAre("POST /api/v1/namespaces/team/serviceaccounts"));
  });
}

}  // namespace
}  // namespace flyball::controllers::service_account

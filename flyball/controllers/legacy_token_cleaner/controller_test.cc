#include "flyball/controllers/legacy_token_cleaner/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/controllers/common/internal/controller_fixture.h"

namespace flyball::controllers::legacy_token_cleaner {
namespace {

using core::v1::ConfigMap;
using core::v1::Secret;
using core::v1::ServiceAccount;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

/// Time starts on the first of January 2026, and the first look is taken at the start.
class LegacyTokenCleanerTest : public ControllerFixture {
 protected:
  LegacyTokenCleanerTest() {
    CreateNamespace("team");
    ConfigMap tracking;
    tracking.metadata.namespace_ = "kube-system";
    tracking.metadata.name = "kube-apiserver-legacy-service-account-token-tracking";
    tracking.data = {{"since", "2025-12-30"}};
    EXPECT_TRUE(All<ConfigMap>().Create(tracking));
    ServiceAccount account;
    account.metadata.namespace_ = "team";
    account.metadata.name = "builder";
    account.secrets.emplace_back().name = "auto";
    EXPECT_TRUE(All<ServiceAccount>().Create(account));
    CreateToken("auto");
    CreateToken("by-hand");
    // They have to be older than the period.
    EXPECT_EQ(executor_.RunFor(minutes(2)).outcome,
              DeterministicExecutor::Report::Outcome::kAllDone);
  }

  void CreateToken(const std::string& name) {
    Secret secret;
    secret.metadata.namespace_ = "team";
    secret.metadata.name = name;
    secret.metadata.annotations = {{"kubernetes.io/service-account.name", "builder"}};
    secret.type = "kubernetes.io/service-account-token";
    EXPECT_TRUE(All<Secret>().Create(secret));
  }
  std::unique_ptr<runtime::Controller> MakeIt() {
    return *Make(deps(), {.clean_up_period = minutes(1)});
  }
};

TEST_F(LegacyTokenCleanerTest, ATokenThatNobodyUsesIsMarked) {
  Play(MakeIt(), [&] {
    Pass(seconds(1));
    const auto sent = TakeSent();
    ASSERT_EQ(sent.size(), 1);
    EXPECT_EQ(sent[0].request, "PATCH /api/v1/namespaces/team/secrets/auto");
    EXPECT_EQ(*All<Secret>()
                   .Get({"team", "auto"})
                   ->metadata.labels.find("kubernetes.io/legacy-token-invalid-since"),
              "2026-01-01");
  });
}

TEST_F(LegacyTokenCleanerTest, NothingIsTouchedWhileUseIsNotTrackedForLongEnough) {
  Play(*Make(deps(), {.clean_up_period = std::chrono::hours(25)}), [&] {
    Pass(seconds(1));
    EXPECT_THAT(TakeRequests(), IsEmpty());
  });
}

TEST_F(LegacyTokenCleanerTest, AMarkedTokenIsDeletedInTheStateThatWasLookedAt) {
  Secret secret = *All<Secret>().Get({"team", "auto"});
  secret.metadata.labels = {{"kubernetes.io/legacy-token-invalid-since", "2025-06-01"}};
  secret = *All<Secret>().Update(secret);
  Play(MakeIt(), [&] {
    Pass(seconds(1));
    const auto sent = TakeSent();
    ASSERT_EQ(sent.size(), 1);
    EXPECT_EQ(sent[0].request, "DELETE /api/v1/namespaces/team/secrets/auto");
    EXPECT_EQ(sent[0].body, R"({"kind":"DeleteOptions","apiVersion":"meta.k8s.io/v1",)"
                            R"("preconditions":{"resourceVersion":")" +
                                secret.metadata.resourceVersion + R"("}})");
    EXPECT_FALSE(All<Secret>().Get({"team", "auto"}));
    EXPECT_TRUE(All<Secret>().Get({"team", "by-hand"}));
  });
}

TEST_F(LegacyTokenCleanerTest, ATokenThatAPodMountsStays) {
  core::v1::Pod pod;
  pod.metadata.namespace_ = "team";
  pod.metadata.name = "pod";
  pod.spec.serviceAccountName = "builder";
  core::v1::Container& container = pod.spec.containers.emplace_back();
  container.name = "c";
  container.image = "image";
  core::v1::Volume& volume = pod.spec.volumes.emplace_back();
  volume.name = "v";
  volume.secret.emplace().secretName = "auto";
  const auto created = All<core::v1::Pod>().Create(pod);
  ASSERT_TRUE(created) << created.error().Describe();
  Play(MakeIt(), [&] {
    Pass(seconds(1));
    EXPECT_THAT(TakeRequests(), IsEmpty());
  });
}

TEST_F(LegacyTokenCleanerTest, WithoutTheServersRecordNothingIsTouched) {
  EXPECT_TRUE(All<ConfigMap>().Delete(
      {"kube-system", "kube-apiserver-legacy-service-account-token-tracking"}));
  Play(MakeIt(), [&] {
    Pass(seconds(1));
    EXPECT_THAT(TakeRequests(), IsEmpty());
  });
}

TEST_F(LegacyTokenCleanerTest, RefusesAPeriodThatIsNone) {
  EXPECT_EQ(Make(deps(), {.clean_up_period = seconds(0)}).error().code(), ErrorCode::kInvalid);
}

}  // namespace
}  // namespace flyball::controllers::legacy_token_cleaner

// What makes service accounts usable, on a real API server: accounts, their tokens and
// certificates, and the roles that they are given.

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "flyball/api/authentication/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/api/rbac/v1.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cluster/audit_trail.h"
#include "tests/cluster/manager_test.h"

namespace flyball::cluster {
namespace {

using namespace std::chrono_literals;
using core::v1::ConfigMap;
using core::v1::Secret;
using core::v1::ServiceAccount;
using rbac::v1::ClusterRole;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;

constexpr const char* kLastUsed = "kubernetes.io/legacy-token-last-used";
constexpr const char* kInvalidSince = "kubernetes.io/legacy-token-invalid-since";

class AccountsTest : public ManagerTest {
 protected:
  controllers::Settings Settings() const {
    std::ifstream key(plane().folder() / "service-accounts.key");
    controllers::Settings settings;
    settings.service_account_token.private_key.assign(std::istreambuf_iterator<char>(key), {});
    settings.service_account_token.root_ca = plane().authority();
    settings.root_ca_publisher.root_ca = plane().authority();
    return settings;
  }
  std::vector<std::string> RequestsBy(const std::string& account) const {
    return RequestsOf(real_plane().audit_log(), "system:serviceaccount:kube-system:" + account,
                      space_);
  }

  ServiceAccount CreateAccount(const std::string& name) const {
    ServiceAccount account;
    account.metadata.namespace_ = space_;
    account.metadata.name = name;
    return Must(All<ServiceAccount>().Create(account));
  }
  Secret CreateToken(const std::string& name, const std::string& account,
                     const api::Map<std::string>& labels = {}) const {
    Secret secret;
    secret.metadata.namespace_ = space_;
    secret.metadata.name = name;
    secret.metadata.labels = labels;
    secret.metadata.annotations = {{"kubernetes.io/service-account.name", account}};
    secret.type = "kubernetes.io/service-account-token";
    return Must(All<Secret>().Create(secret));
  }
  std::string TokenIn(const std::string& secret) const {
    const auto found = All<Secret>().Get({space_, secret});
    const auto* const token = found ? found->data.find("token") : nullptr;
    return token == nullptr ? "" : *token;
  }
  /// Whose token it is, as the API server sees it; or why it is nobody's.
  std::string UserOf(const std::string& token) const {
    authentication::v1::TokenReview review;
    review.spec.token = token;
    const auto answer = Must(All<authentication::v1::TokenReview>().Create(review));
    return answer.status.authenticated ? answer.status.user.username : answer.status.error;
  }

  const std::string space_ = NewNamespace();
};

TEST_F(AccountsTest, NamespacesGetTheirAccountAndCertificateAndGetThemBack) {
  StartManager(Settings());
  const auto has_both = [this] {
    return Exists<ServiceAccount>({space_, "default"}) &&
           Exists<ConfigMap>({space_, "kube-root-ca.crt"});
  };
  EXPECT_TRUE(Eventually(has_both));
  const api::Map<std::string> data = {{"ca.crt", plane().authority()}};
  EXPECT_EQ(Must(All<ConfigMap>().Get({space_, "kube-root-ca.crt"})).data, data);

  Must(All<ServiceAccount>().Delete({space_, "default"}));
  Must(All<ConfigMap>().Delete({space_, "kube-root-ca.crt"}));
  EXPECT_TRUE(Eventually(has_both));
  ConfigMap map = Must(All<ConfigMap>().Get({space_, "kube-root-ca.crt"}));
  map.data = {{"ca.crt", "mine"}};
  Must(All<ConfigMap>().Update(map));
  EXPECT_TRUE(Eventually(
      [&] { return Must(All<ConfigMap>().Get({space_, "kube-root-ca.crt"})).data == data; }));
  EXPECT_THAT(
      RequestsBy("service-account-controller"),
      ElementsAre("create serviceaccounts default 201", "create serviceaccounts default 201"));
  EXPECT_THAT(RequestsBy("root-ca-cert-publisher"),
              ElementsAre("create configmaps kube-root-ca.crt 201",
                          "create configmaps kube-root-ca.crt 201",
                          "update configmaps kube-root-ca.crt 200"));
  EXPECT_THAT(manager_->metrics(),
              testing::HasSubstr("root_ca_cert_publisher_sync_total{code=\"200\"}"));
}

TEST_F(AccountsTest, ATokenSecretIsFilledWithWhatTheApiServerAccepts) {
  CreateAccount("builder");
  CreateToken("old", "builder");
  StartManager(Settings());
  CreateToken("new", "builder");
  for (const char* const name : {"old", "new"}) {
    ASSERT_TRUE(Eventually([&] { return !TokenIn(name).empty(); })) << name;
    EXPECT_EQ(UserOf(TokenIn(name)), "system:serviceaccount:" + space_ + ":builder");
    const Secret secret = Must(All<Secret>().Get({space_, name}));
    EXPECT_EQ(*secret.data.find("ca.crt"), plane().authority());
    EXPECT_EQ(*secret.data.find("namespace"), space_);
  }
}

TEST_F(AccountsTest, TokensGoWithTheirAccountAndReferencesWithTheirToken) {
  StartManager(Settings());
  ServiceAccount account = CreateAccount("builder");
  account.secrets.emplace_back().name = "token";
  Must(All<ServiceAccount>().Update(account));
  CreateToken("token", "builder");
  ASSERT_TRUE(Eventually([&] { return !TokenIn("token").empty(); }));
  Must(All<Secret>().Delete({space_, "token"}));
  EXPECT_TRUE(Eventually(
      [&] { return Must(All<ServiceAccount>().Get({space_, "builder"})).secrets.empty(); }));

  CreateToken("another", "builder");
  ASSERT_TRUE(Eventually([&] { return !TokenIn("another").empty(); }));
  Must(All<ServiceAccount>().Delete({space_, "builder"}));
  EXPECT_TRUE(Eventually([&] { return !Exists<Secret>({space_, "another"}); }));
}

TEST_F(AccountsTest, OldTokensThatNobodyUsesAreMarkedAndDeleted) {
  ServiceAccount account = CreateAccount("builder");
  account.secrets.resize(3);
  account.secrets[0].name = "unused";
  account.secrets[1].name = "marked";
  account.secrets[2].name = "used";
  Must(All<ServiceAccount>().Update(account));
  CreateToken("unused", "builder");
  CreateToken("marked", "builder", {{kInvalidSince, "2020-01-01"}});
  CreateToken("used", "builder", {{kLastUsed, "2999-01-01"}});
  CreateToken("by-hand", "builder");
  const api::ObjectKey record{"kube-system",
                              "kube-apiserver-legacy-service-account-token-tracking"};
  ASSERT_TRUE(Eventually([&] { return Exists<ConfigMap>(record); }));
  Must(All<ConfigMap>().Patch(
      record, client::Patch::Merge(*api::Json::Parse(R"({"data":{"since":"2020-01-01"}})"))));
  clock().SleepFor(2s);  // lint: allow sleep: they have to be older than the period

  controllers::Settings settings = Settings();
  settings.legacy_token_cleaner.clean_up_period = 1s;
  StartManager(settings);
  EXPECT_TRUE(Eventually([&] { return !Exists<Secret>({space_, "marked"}); }));
  const auto is_marked = [&](const std::string& name) {
    return Must(All<Secret>().Get({space_, name})).metadata.labels.contains(kInvalidSince);
  };
  EXPECT_TRUE(Eventually([&] { return is_marked("unused"); }));
  EXPECT_FALSE(is_marked("used"));
  EXPECT_FALSE(is_marked("by-hand"));
  std::vector<std::string> requests = RequestsBy("legacy-service-account-token-cleaner");
  std::ranges::sort(requests);
  EXPECT_THAT(requests, ElementsAre("delete secrets marked 200", "patch secrets unused 200"));
}

ClusterRole Role(const std::string& name, const std::string& resource) {
  ClusterRole role;
  role.metadata.name = name;
  role.metadata.labels = {{"example.com/part", "yes"}};
  auto& rule = role.rules.emplace_back();
  rule.verbs = {"get"};
  rule.apiGroups = {"example.com"};
  rule.resources = {resource};
  return role;
}

TEST_F(AccountsTest, AggregatedClusterRolesFollowTheirParts) {
  StartManager(Settings());
  const auto resources_of = [this](const std::string& name) {
    std::vector<std::string> resources;
    const ClusterRole role = Must(All<ClusterRole>().Get({"", name}));
    for (const auto& rule : role.rules) resources.push_back(rule.resources.front());
    return resources;
  };
  // Those that every cluster has.
  for (const char* const name : {"admin", "edit", "view"}) {
    EXPECT_TRUE(Eventually([&] { return !resources_of(name).empty(); })) << name;
  }
  ClusterRole whole;
  whole.metadata.name = "whole";
  whole.aggregationRule.emplace().clusterRoleSelectors.emplace_back().matchLabels = {
      {"example.com/part", "yes"}};
  Must(All<ClusterRole>().Create(whole));
  Must(All<ClusterRole>().Create(Role("one", "ones")));
  Must(All<ClusterRole>().Create(Role("another", "others")));
  const std::vector<std::string> both = {"others", "ones"};
  EXPECT_TRUE(Eventually([&] { return resources_of("whole") == both; }));
  EXPECT_THAT(Must(All<ClusterRole>().Get({"", "whole"})).metadata.managedFields,
              Contains(Field(&meta::v1::ManagedFieldsEntry::manager,
                             "clusterrole-aggregation-controller")));
  Must(All<ClusterRole>().Delete({"", "another"}));
  EXPECT_TRUE(
      Eventually([&] { return resources_of("whole") == std::vector<std::string>{"ones"}; }));
  Must(All<ClusterRole>().Delete({"", "one"}));
  EXPECT_TRUE(Eventually([&] { return resources_of("whole").empty(); }));
}

}  // namespace
}  // namespace flyball::cluster

#include "flyball/controllers/service_account_token/plan.h"

#include <gtest/gtest.h>

namespace flyball::controllers::service_account_token {
namespace {

using core::v1::Secret;
using core::v1::ServiceAccount;

Secret TokenSecret() {
  Secret secret;
  secret.metadata.namespace_ = "team";
  secret.metadata.name = "token";
  secret.metadata.uid = "secret-uid";
  secret.metadata.annotations = {{"kubernetes.io/service-account.name", "builder"}};
  secret.type = "kubernetes.io/service-account-token";
  return secret;
}

ServiceAccount Builder() {
  ServiceAccount account;
  account.metadata.namespace_ = "team";
  account.metadata.name = "builder";
  account.metadata.uid = "uid";
  return account;
}

TEST(ServiceAccountTokenPlan, KeysSayWhoIsMeant) {
  EXPECT_EQ(AccountKey::Of(Builder()), (AccountKey{"team", "builder", "uid"}));
  Secret secret = TokenSecret();
  EXPECT_EQ(SecretKey::Of(secret), (SecretKey{"team", "token", "secret-uid", "builder", ""}));
  secret.metadata.annotations["kubernetes.io/service-account.uid"] = "uid";
  EXPECT_EQ(SecretKey::Of(secret), (SecretKey{"team", "token", "secret-uid", "builder", "uid"}));
  EXPECT_EQ(SecretKey::Of(secret).ToString(), "team/token");
}

TEST(ServiceAccountTokenPlan, ASecretBelongsToTheAccountThatItNamesByNameOrAlsoByUid) {
  const AccountKey builder = AccountKey::Of(Builder());
  Secret secret = TokenSecret();
  EXPECT_TRUE(IsTokenOf(secret, builder));
  secret.metadata.annotations["kubernetes.io/service-account.uid"] = "uid";
  EXPECT_TRUE(IsTokenOf(secret, builder));
  secret.metadata.annotations["kubernetes.io/service-account.uid"] = "another";
  EXPECT_FALSE(IsTokenOf(secret, builder));

  secret = TokenSecret();
  secret.type = "Opaque";
  EXPECT_FALSE(IsTokenOf(secret, builder));
  secret = TokenSecret();
  secret.metadata.annotations = {{"kubernetes.io/service-account.name", "default"}};
  EXPECT_FALSE(IsTokenOf(secret, builder));
}

TEST(ServiceAccountTokenPlan, FindsWhatASecretLacks) {
  Secret secret = TokenSecret();
  EXPECT_EQ(MissingIn(secret, "CA"), (Missing{true, true, true}));
  EXPECT_EQ(MissingIn(secret, ""), (Missing{false, true, true}));
  secret.data = {{"ca.crt", "CA"}, {"namespace", "team"}, {"token", "t"}};
  EXPECT_FALSE(MissingIn(secret, "CA").any());
  EXPECT_EQ(MissingIn(secret, "another"), (Missing{true, false, false}));
  EXPECT_FALSE(MissingIn(secret, "").any());
  secret.data["token"] = "";
  EXPECT_EQ(MissingIn(secret, "CA"), (Missing{false, false, true}));
}

TEST(ServiceAccountTokenPlan, ATokenSaysWhomItIsFor) {
  EXPECT_EQ(ClaimsOf(Builder(), TokenSecret()).ToString(),
            R"({"iss":"kubernetes/serviceaccount",)"
            R"("kubernetes.io/serviceaccount/namespace":"team",)"
            R"("kubernetes.io/serviceaccount/secret.name":"token",)"
            R"("kubernetes.io/serviceaccount/service-account.name":"builder",)"
            R"("kubernetes.io/serviceaccount/service-account.uid":"uid",)"
            R"("sub":"system:serviceaccount:team:builder"})");
}

TEST(ServiceAccountTokenPlan, FillsWhatIsMissingAndKeepsTheRest) {
  Secret secret = TokenSecret();
  secret.data = {{"mine", "too"}, {"token", "t"}, {"ca.crt", "old"}};
  Secret filled = secret;
  filled.data = {{"mine", "too"}, {"token", "t"}, {"ca.crt", "CA"}, {"namespace", "team"}};
  filled.metadata.annotations["kubernetes.io/service-account.uid"] = "uid";
  EXPECT_EQ(Filled(secret, Builder(), MissingIn(secret, "CA"), "CA", ""), filled);

  secret.data = {};
  filled.data = {{"ca.crt", "CA"}, {"namespace", "team"}, {"token", "new"}};
  EXPECT_EQ(Filled(secret, Builder(), MissingIn(secret, "CA"), "CA", "new"), filled);
}

TEST(ServiceAccountTokenPlan, TakesReferencesOffAnAccount) {
  ServiceAccount account = Builder();
  EXPECT_EQ(WithoutReference(account, "token"), std::nullopt);
  account.secrets.resize(3);
  account.secrets[0].name = "token";
  account.secrets[1].name = "other";
  account.secrets[2].name = "token";
  ServiceAccount without = Builder();
  without.secrets.emplace_back().name = "other";
  EXPECT_EQ(WithoutReference(account, "token"), without);
}

}  // namespace
}  // namespace flyball::controllers::service_account_token

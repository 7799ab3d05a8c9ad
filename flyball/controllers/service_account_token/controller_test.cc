#include "flyball/controllers/service_account_token/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/controllers/common/internal/controller_fixture.h"

namespace flyball::controllers::service_account_token {
namespace {

using core::v1::Secret;
using core::v1::ServiceAccount;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

constexpr const char* kPrivateKey =
    "-----BEGIN EC PRIVATE KEY-----\n"
    "MHcCAQEEICTbXeVSv3xxaAlMS1pRDvyvzXEJAu/feKFqPnKASgj5oAoGCCqGSM49\n"
    "AwEHoUQDQgAER8UZLURWJE4+jR/K79oKoODprursFFKLWs7XdV8wT0nNZlec4M0c\n"
    "mRgFu8mfAhlNmm2b9HZol5OBBya9vdaxHA==\n"
    "-----END EC PRIVATE KEY-----\n";

class ServiceAccountTokenTest : public ControllerFixture {
 protected:
  ServiceAccountTokenTest() {
    CreateNamespace("team");
    account_ = CreateAccount();
  }

  std::unique_ptr<runtime::Controller> MakeIt(const std::string& root_ca = "CA") {
    return *Make(deps(), {.private_key = kPrivateKey, .root_ca = root_ca});
  }
  ServiceAccount CreateAccount() {
    ServiceAccount account;
    account.metadata.namespace_ = "team";
    account.metadata.name = "builder";
    return *All<ServiceAccount>().Create(account);
  }
  Secret CreateSecret(const std::string& uid = "") {
    Secret secret;
    secret.metadata.namespace_ = "team";
    secret.metadata.name = "token";
    secret.metadata.annotations = {{"kubernetes.io/service-account.name", "builder"}};
    if (!uid.empty()) secret.metadata.annotations["kubernetes.io/service-account.uid"] = uid;
    secret.type = "kubernetes.io/service-account-token";
    auto created = All<Secret>().Create(secret);
    EXPECT_TRUE(created) << created.error().Describe();
    return *std::move(created);
  }
  std::optional<Secret> GetSecret() {
    auto secret = All<Secret>().Get({"team", "token"});
    return secret ? std::optional(*std::move(secret)) : std::nullopt;
  }

  ServiceAccount account_;
};

TEST_F(ServiceAccountTokenTest, FillsSecretsWhetherTheyAreOldOrNew) {
  CreateSecret();
  Play(MakeIt(), [&] {
    Pass(seconds(1));
    const auto first = GetSecret();
    ASSERT_TRUE(first);
    ASSERT_EQ(first->data.size(), 3);
    EXPECT_EQ(*first->data.find("ca.crt"), "CA");
    EXPECT_EQ(*first->data.find("namespace"), "team");
    EXPECT_THAT(*first->data.find("token"), StartsWith("eyJhbGciOiJFUzI1NiIsImtpZCI6"));
    EXPECT_EQ(*first->metadata.annotations.find("kubernetes.io/service-account.uid"),
              account_.metadata.uid);
    EXPECT_THAT(TakeRequests(), ElementsAre("PUT /api/v1/namespaces/team/secrets/token"));

    EXPECT_TRUE(All<Secret>().Delete({"team", "token"}));
    CreateSecret();
    Pass(seconds(1));
    EXPECT_EQ(GetSecret()->data.size(), 3);
    EXPECT_THAT(TakeRequests(), ElementsAre("PUT /api/v1/namespaces/team/secrets/token"));
  });
}

TEST_F(ServiceAccountTokenTest, AnotherAuthorityIsPutInAndTheTokenStays) {
  Secret secret = CreateSecret(account_.metadata.uid);
  secret.data = {{"ca.crt", "old"}, {"namespace", "team"}, {"token", "theirs"}};
  EXPECT_TRUE(All<Secret>().Update(secret));
  Play(MakeIt(), [&] {
    Pass(seconds(1));
    EXPECT_EQ(GetSecret()->data,
              (api::Map<api::Bytes>{{"ca.crt", "CA"}, {"namespace", "team"}, {"token", "theirs"}}));
  });
}

TEST_F(ServiceAccountTokenTest, ASecretForAnAccountThatIsNotThereGoes) {
  CreateSecret("another uid");
  Play(MakeIt(), [&] {
    Pass(seconds(1));
    EXPECT_FALSE(GetSecret());
    EXPECT_THAT(TakeRequests(), ElementsAre("DELETE /api/v1/namespaces/team/secrets/token"));
  });
}

TEST_F(ServiceAccountTokenTest, SecretsGoWithTheirAccount) {
  CreateSecret();
  Play(MakeIt(), [&] {
    Pass(seconds(1));
    TakeSent();
    EXPECT_TRUE(All<ServiceAccount>().Delete({"team", "builder"}));
    Pass(seconds(1));
    EXPECT_FALSE(GetSecret());
    const auto sent = TakeSent();
    ASSERT_EQ(sent.size(), 1);
    EXPECT_THAT(sent[0].body, testing::HasSubstr(R"("preconditions":{"uid":")"));
  });
}

TEST_F(ServiceAccountTokenTest, AnAccountOfTheSameNameIsNotTheSameAccount) {
  CreateSecret();
  Play(MakeIt(), [&] {
    Pass(seconds(1));
    EXPECT_TRUE(All<ServiceAccount>().Delete({"team", "builder"}));
    CreateAccount();
    Pass(seconds(1));
    EXPECT_FALSE(GetSecret());
  });
}

TEST_F(ServiceAccountTokenTest, AnAccountForgetsASecretThatIsGone) {
  CreateSecret();
  account_.secrets.resize(2);
  account_.secrets[0].name = "token";
  account_.secrets[1].name = "other";
  account_ = *All<ServiceAccount>().Update(account_);
  Play(MakeIt(), [&] {
    Pass(seconds(1));
    TakeSent();
    // Somebody writes the account between its being read and written.
    answer_instead_ = [this](const transport::Request& request) {
      if (request.method == "PUT") {
        answer_instead_ = nullptr;
        ServiceAccount account = *All<ServiceAccount>().Get({"team", "builder"});
        account.metadata.labels["meanwhile"] = "yes";
        EXPECT_TRUE(All<ServiceAccount>().Update(account));
      }
      return std::nullopt;
    };
    EXPECT_TRUE(All<Secret>().Delete({"team", "token"}));
    Pass(seconds(1));
    const auto account = All<ServiceAccount>().Get({"team", "builder"});
    ASSERT_EQ(account->secrets.size(), 1);
    EXPECT_EQ(account->secrets[0].name, "other");
    EXPECT_THAT(TakeRequests(), ElementsAre("PUT /api/v1/namespaces/team/serviceaccounts/builder",
                                            "PUT /api/v1/namespaces/team/serviceaccounts/builder"));
  });
}

TEST_F(ServiceAccountTokenTest, OtherSecretsAreNoneOfItsBusiness) {
  Play(MakeIt(), [&] {
    Secret other;
    other.metadata.namespace_ = "team";
    other.metadata.name = "token";
    EXPECT_TRUE(All<Secret>().Create(other));
    EXPECT_TRUE(All<Secret>().Delete({"team", "token"}));
    Pass(seconds(1));
    EXPECT_THAT(TakeRequests(), IsEmpty());
  });
}

TEST_F(ServiceAccountTokenTest, IsOffWithoutAKeyAndRefusesABadOne) {
  const auto off = Make(deps(), {});
  ASSERT_TRUE(off);
  EXPECT_EQ(*off, nullptr);
  EXPECT_EQ(Make(deps(), {.private_key = "none"}).error().code(), ErrorCode::kMalformed);
}

}  // namespace
}  // namespace flyball::controllers::service_account_token

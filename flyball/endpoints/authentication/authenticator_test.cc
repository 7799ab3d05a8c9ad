#include "flyball/endpoints/authentication/authenticator.h"

#include <openssl/pem.h>

#include "flyball/base/fake_clock.h"
#include "flyball/endpoints/review_server_fake.h"
#include "flyball/serving/certificates.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::endpoints {
namespace {

using namespace std::chrono_literals;
using serving::Certificate;
using serving::CertificateAuthority;

/// As a connection would show it.
std::shared_ptr<const transport::CertificateChain> Shown(const Certificate& certificate) {
  BIO* const text = BIO_new_mem_buf(certificate.certificate_pem.data(), -1);
  X509* const parsed = PEM_read_bio_X509(text, nullptr, nullptr, nullptr);
  unsigned char* bytes = nullptr;
  const int size = i2d_X509(parsed, &bytes);
  auto chain = std::make_shared<transport::CertificateChain>();
  chain->emplace_back(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  OPENSSL_free(bytes);
  X509_free(parsed);
  BIO_free(text);
  return chain;
}

class AuthenticatorTest : public testing::Test {
 protected:
  AuthenticatorTest() {
    server_.tokens["jane-token"].username = "jane";
    server_.tokens["jane-token"].groups = {"devs"};
    authentication_info_->clients = *CaBundle::Parse(clients_.self().certificate_pem);
    authentication_info_->proxies = *CaBundle::Parse(proxies_.self().certificate_pem);
    authentication_info_->proxy_names = {"front-proxy"};
    authentication_info_->proxy_headers.uid = {"X-Remote-Uid"};
  }

  Result<User> Ask(const Certificate& certificate, const transport::Headers& headers = {}) {
    transport::Request request{.headers = headers};
    if (!certificate.certificate_pem.empty()) request.peer_certificates = Shown(certificate);
    return authenticator_.Authenticate(request);
  }
  ErrorCode CodeOf(const Result<User>& user) {
    EXPECT_FALSE(user) << user->name;
    return user ? ErrorCode::kInternal : user.error().code();
  }
  Certificate Issue(const CertificateAuthority& authority, const std::string& name,
                    const std::vector<std::string>& groups = {}) {
    return *authority.Issue({.common_name = name, .organizations = groups}, clock_.WallNow());
  }

  FakeClock clock_;
  const CertificateAuthority clients_ = *CertificateAuthority::Make("clients", clock_.WallNow());
  const CertificateAuthority proxies_ = *CertificateAuthority::Make("proxies", clock_.WallNow());
  const User anonymous_{.name = "system:anonymous", .groups = {"system:unauthenticated"}};
  std::shared_ptr<ClusterAuthenticationInfo> authentication_info_ =
      std::make_shared<ClusterAuthenticationInfo>();
  FakeReviewServer server_;
  client::RestClient rest_{{.transport = server_.transport(), .clock = clock_}, {}};
  TokenReviews reviews_{
      {.client = client::Client(rest_), .clock = clock_, .random = [] { return 0.0; }}, {}};
  Authenticator authenticator_{{.clock = clock_,
                                .authentication_info = [this] { return authentication_info_; },
                                .tokens = &reviews_}};
};

TEST_F(AuthenticatorTest, WhoBringsNothingIsAnonymous) {
  EXPECT_EQ(Ask({}), anonymous_);
  // Nor do these say anything.
  for (const char* header : {"Basic abc", "Bearer", "Bearer  jane-token", "jane-token"}) {
    EXPECT_EQ(Ask({}, {{"authorization", header}}), anonymous_) << header;
  }
}

TEST_F(AuthenticatorTest, ATokenIsItsOwners) {
  const User jane{.name = "jane", .groups = {"devs", "system:authenticated"}};
  for (const char* header : {"Bearer jane-token", "bearer jane-token x", " BEARER jane-token "}) {
    EXPECT_EQ(Ask({}, {{"authorization", header}}), jane) << header;
  }
}

TEST_F(AuthenticatorTest, ABadTokenIsRefusedAndNotAnonymous) {
  EXPECT_EQ(CodeOf(Ask({}, {{"authorization", "Bearer nobodys"}})), ErrorCode::kUnauthorized);
}

TEST_F(AuthenticatorTest, ACertificateOfTheClientsAuthorityNamesItsUser) {
  const Certificate shown = Issue(clients_, "anna", {"devs", "ops"});
  const auto anna = Ask(shown);
  ASSERT_TRUE(anna) << anna.error().Describe();
  const auto read = serving::ClientCertificate::Read(Shown(shown)->front());
  EXPECT_EQ(*anna, (User{.name = "anna",
                         .groups = {"devs", "ops", "system:authenticated"},
                         .extra = {{"authentication.kubernetes.io/credential-id",
                                    {"X509SHA256=" + read->sha256}}}}));
  EXPECT_EQ(read->sha256.size(), 64U);
}

TEST_F(AuthenticatorTest, AStrangersCertificateIsRefusedUnlessATokenIsGood) {
  const auto strangers = *CertificateAuthority::Make("strangers", clock_.WallNow());
  const Certificate shown = Issue(strangers, "anna");
  EXPECT_EQ(CodeOf(Ask(shown)), ErrorCode::kUnauthorized);
  const auto jane = Ask(shown, {{"authorization", "Bearer jane-token"}});
  ASSERT_TRUE(jane);
  EXPECT_EQ(jane->name, "jane");
}

TEST_F(AuthenticatorTest, ACertificateIsGoodForItsTimeOnly) {
  const Certificate shown = Issue(clients_, "anna");
  ASSERT_TRUE(Ask(shown));
  clock_.Advance(365 * 24h + 1s);
  EXPECT_EQ(CodeOf(Ask(shown)), ErrorCode::kUnauthorized);
}

TEST_F(AuthenticatorTest, AServersCertificateIsNoClients) {
  const auto shown =
      *clients_.Issue({.common_name = "anna", .names = {"localhost"}}, clock_.WallNow());
  EXPECT_EQ(CodeOf(Ask(shown)), ErrorCode::kUnauthorized);
}

TEST_F(AuthenticatorTest, AFrontProxySaysForWhomItAsks) {
  const transport::Headers headers = {{"x-remote-user", "carl"},
                                      {"x-remote-uid", "7"},
                                      {"x-remote-group", "a"},
                                      {"x-remote-group", "b"},
                                      {"x-remote-extra-scopes", "one"},
                                      {"x-remote-extra-scopes", "two"},
                                      {"x-remote-extra-example.com%2fname", "x"}};
  EXPECT_EQ(Ask(Issue(proxies_, "front-proxy"), headers),
            (User{.name = "carl",
                  .uid = "7",
                  .groups = {"a", "b", "system:authenticated"},
                  .extra = {{"example.com/name", {"x"}}, {"scopes", {"one", "two"}}}}));
}

TEST_F(AuthenticatorTest, OnlyAFrontProxyIsBelievedWhatItSaysOfOthers) {
  const transport::Headers headers = {{"x-remote-user", "carl"},
                                      {"x-remote-group", "system:masters"}};
  EXPECT_EQ(Ask({}, headers), anonymous_);
  // One that is not allowed, though its authority is.
  EXPECT_EQ(CodeOf(Ask(Issue(proxies_, "another"), headers)), ErrorCode::kUnauthorized);
  const auto anna = Ask(Issue(clients_, "front-proxy"), headers);
  ASSERT_TRUE(anna);
  EXPECT_EQ(anna->name, "front-proxy");
}

TEST_F(AuthenticatorTest, AFrontProxyThatSaysNothingIsNobody) {
  EXPECT_EQ(CodeOf(Ask(Issue(proxies_, "front-proxy"))), ErrorCode::kUnauthorized);
}

TEST_F(AuthenticatorTest, AnyNameWillDoWhereNoneAreGiven) {
  authentication_info_->proxy_names.clear();
  const auto carl = Ask(Issue(proxies_, "whoever"), {{"x-remote-user", "carl"}});
  ASSERT_TRUE(carl);
  EXPECT_EQ(carl->name, "carl");
}

TEST_F(AuthenticatorTest, CertificatesSayNothingWhereNobodyIsTrusted) {
  authentication_info_ = std::make_shared<ClusterAuthenticationInfo>();
  EXPECT_EQ(Ask(Issue(clients_, "anna")), anonymous_);
}

}  // namespace
}  // namespace flyball::endpoints

#include "flyball/endpoints/secure_serving.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "flyball/endpoints/review_server_fake.h"
#include "flyball/endpoints/router.h"
#include "flyball/endpoints/text_file.h"
#include "flyball/serving/certificates.h"
#include "flyball/transport/fetch.h"
#include "flyball/transport/http_transport.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::endpoints {
namespace {

using namespace std::chrono_literals;
using serving::Certificate;
using serving::CertificateAuthority;

/// A port of loopback with all that stands behind it, and clients of it.
class SecureServingTest : public testing::Test {
 protected:
  SecureServingTest() {
    std::filesystem::remove_all(folder_);
    reviews_.tokens["jane-token"].username = "jane";
    reviews_.allowed = {{"jane", "/metrics"}};
    routes_.Add("/healthz", [](const Call&) { return PlainText(200, "ok"); });
    routes_.Add("/metrics", [](const Call& call) { return PlainText(200, call.user.name); });
    EXPECT_TRUE(WriteTextFile(File("clients.crt"), clients_.self().certificate_pem, false));
    options_.bind_address = "127.0.0.1";
    options_.port = 0;
  }
  ~SecureServingTest() override { std::filesystem::remove_all(folder_); }

  Result<> Start() {
    if (!authentication_info_) {
      FLYBALL_TRY(authentication_info_,
                  AuthenticationInfoSource::Create(
                      {.executor = executor_, .timers = timers_, .random = [] { return 0.5; }},
                      {.clients_file = File("clients.crt")}));
    }
    FLYBALL_TRY(serving_, SecureServing::Start({.network = network_,
                                                .timers = timers_,
                                                .answers = router_,
                                                .authentication_info = *authentication_info_},
                                               options_));
    return {};
  }

  struct Client {
    std::string roots = {};  ///< empty: believes anybody
    Certificate identity = {};
    transport::Headers headers = {};
    std::string host = "127.0.0.1";
  };
  Result<transport::Response> Get(const std::string& target, const Client& client) {
    transport::HttpTransport::Options options;
    options.server =
        *transport::Url::Parse("https://" + client.host + ":" + std::to_string(serving_->port()));
    options.tls = [&client] {
      return transport::TlsOptions{.roots = client.roots,
                                   .certificate = client.identity.certificate_pem,
                                   .key = client.identity.key_pem,
                                   .skip_server_check = client.roots.empty()};
    };
    transport::HttpTransport transport(network_, std::move(options));
    return transport::Fetch(transport, clock_,
                            {.target = target, .headers = client.headers, .timeout = 10s});
  }
  int StatusOf(const std::string& target, const Client& client) {
    const auto response = Get(target, client);
    EXPECT_TRUE(response) << response.error().Describe();
    return response ? response->status : 0;
  }
  Certificate Issue(const CertificateAuthority& authority, const std::string& group) {
    return *authority.Issue({.common_name = "anna", .organizations = {group}}, clock_.WallNow());
  }
  void WritePair(const Certificate& pair) {
    EXPECT_TRUE(WriteTextFile(File("own.crt"), pair.certificate_pem, false));
    EXPECT_TRUE(WriteTextFile(File("own.key"), pair.key_pem, true));
  }
  std::string File(const std::string& name) const { return folder_ / name; }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() /
      ("serving-" + std::to_string(getpid()) + "-" +
       testing::UnitTest::GetInstance()->current_test_info()->name());
  RealClock clock_;
  ElasticExecutor executor_{clock_};
  Timers timers_{executor_};
  transport::Network network_{executor_};
  const CertificateAuthority clients_ = *CertificateAuthority::Make("clients", clock_.WallNow());
  FakeReviewServer reviews_;
  client::RestClient rest_{{.transport = reviews_.transport(), .clock = clock_}, {}};
  ReviewDeps review_deps_{
      .client = client::Client(rest_), .clock = clock_, .random = [] { return 0.0; }};
  TokenReviews tokens_{review_deps_, {}};
  AccessReviews access_{review_deps_, {}};
  std::unique_ptr<AuthenticationInfoSource> authentication_info_;
  Authenticator authenticator_{
      {.clock = clock_,
       .authentication_info = [this] { return authentication_info_->Current(); },
       .tokens = &tokens_}};
  Authorizer authorizer_{*OpenPaths::Parse({"/healthz"}), &access_};
  RouteTable routes_;
  Router router_{{.executor = executor_,
                  .routes = routes_,
                  .authenticator = authenticator_,
                  .authorizer = authorizer_}};
  SecureServingOptions options_;
  std::unique_ptr<SecureServing> serving_;
};

TEST_F(SecureServingTest, LetsInWhomItShould) {
  ASSERT_TRUE(Start());
  EXPECT_EQ(StatusOf("/healthz", {}), 200);
  EXPECT_EQ(StatusOf("/metrics", {}), 403);
  EXPECT_EQ(StatusOf("/metrics", {.headers = {{"authorization", "Bearer bad"}}}), 401);
  EXPECT_EQ(StatusOf("/metrics", {.headers = {{"authorization", "Bearer jane-token"}}}), 200);
  EXPECT_EQ(StatusOf("/metrics", {.identity = Issue(clients_, "system:masters")}), 200);
  EXPECT_EQ(StatusOf("/metrics", {.identity = Issue(clients_, "devs")}), 403);
  const auto strangers = *CertificateAuthority::Make("strangers", clock_.WallNow());
  EXPECT_EQ(StatusOf("/healthz", {.identity = Issue(strangers, "system:masters")}), 401);
}

TEST_F(SecureServingTest, MakesACertificateAndKeepsItInItsFolder) {
  options_.certificate.folder = File("made");
  ASSERT_TRUE(Start());
  const std::string certificate_file = File("made/kube-controller-manager.crt");
  const auto roots = ReadTextFile(certificate_file);
  ASSERT_TRUE(roots);
  struct stat key = {};
  ASSERT_EQ(stat(File("made/kube-controller-manager.key").c_str(), &key), 0);
  EXPECT_EQ(key.st_mode & 0777U, 0600U);
  EXPECT_EQ(StatusOf("/healthz", {.roots = *roots}), 200);
  EXPECT_EQ(StatusOf("/healthz", {.roots = *roots, .host = "localhost"}), 200);
  serving_.reset();
  ASSERT_TRUE(Start());
  EXPECT_EQ(ReadTextFile(certificate_file), roots);
  EXPECT_EQ(StatusOf("/healthz", {.roots = *roots}), 200);
  serving_.reset();
  std::filesystem::remove(certificate_file);
  const auto half = Start();
  ASSERT_FALSE(half);
  EXPECT_EQ(half.error().message(), "error reading " + certificate_file +
                                        ", certificate and key must be supplied as a pair");
}

TEST_F(SecureServingTest, TakesUpACertificateThatIsRenewed) {
  const auto first = *CertificateAuthority::Make("first", clock_.WallNow());
  const auto second = *CertificateAuthority::Make("second", clock_.WallNow());
  const serving::CertificateSubject subject{.common_name = "own", .names = {"127.0.0.1"}};
  WritePair(*first.Issue(subject, clock_.WallNow()));
  options_.certificate.files = {File("own.crt"), File("own.key")};
  ASSERT_TRUE(Start());
  EXPECT_EQ(StatusOf("/healthz", {.roots = first.self().certificate_pem}), 200);
  // The key of another: half of a change.
  ASSERT_TRUE(WriteTextFile(File("own.key"), clients_.self().key_pem, true));
  serving_->Refresh();
  EXPECT_EQ(StatusOf("/healthz", {.roots = first.self().certificate_pem}), 200);
  WritePair(*second.Issue(subject, clock_.WallNow()));
  serving_->Refresh();
  EXPECT_EQ(StatusOf("/healthz", {.roots = second.self().certificate_pem}), 200);
  EXPECT_FALSE(Get("/healthz", {.roots = first.self().certificate_pem}));
}

TEST_F(SecureServingTest, TakesUpOtherClientAuthoritiesAtOnce) {
  ASSERT_TRUE(Start());
  const auto others = *CertificateAuthority::Make("others", clock_.WallNow());
  const Certificate anna = Issue(others, "system:masters");
  EXPECT_EQ(StatusOf("/metrics", {.identity = anna}), 401);
  ASSERT_TRUE(WriteTextFile(File("clients.crt"), others.self().certificate_pem, false));
  authentication_info_->RereadFiles();
  EXPECT_EQ(StatusOf("/metrics", {.identity = anna}), 200);
}

TEST_F(SecureServingTest, ServesBothFamiliesWhereNoAddressIsGiven) {
  options_.bind_address = "0.0.0.0";
  ASSERT_TRUE(Start());
  EXPECT_EQ(StatusOf("/healthz", {}), 200);
  if (serving_->url().contains("[::]")) {
    EXPECT_EQ(StatusOf("/healthz", {.host = "[::1]"}), 200);
  }
}

TEST_F(SecureServingTest, APortThatIsTakenIsAnError) {
  ASSERT_TRUE(Start());
  const auto first = std::move(serving_);
  options_.port = first->port();
  const auto second = Start();
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message(), testing::StartsWith("failed to create listener: "));
}

TEST(ParseTlsVersion, KnowsGosNames) {
  EXPECT_EQ(ParseTlsVersion(""), serving::TlsVersion::k12);
  EXPECT_EQ(ParseTlsVersion("VersionTLS10"), serving::TlsVersion::k12);
  EXPECT_EQ(ParseTlsVersion("VersionTLS13"), serving::TlsVersion::k13);
  EXPECT_FALSE(ParseTlsVersion("TLS13"));
}

}  // namespace
}  // namespace flyball::endpoints

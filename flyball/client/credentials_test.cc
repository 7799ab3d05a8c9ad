#include "flyball/client/credentials.h"

#include <atomic>

#include "flyball/api/base64.h"
#include "flyball/base/executor.h"
#include "flyball/base/fake_clock.h"
#include "flyball/transport/fetch.h"
#include "flyball/transport/http_transport.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/scripted/server.h"
#include "tests/scripted/test_folder.h"

namespace flyball::client {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;
using transport::Headers;

class CredentialsTest : public testing::Test {
 protected:
  std::unique_ptr<Credentials> Make(const AccessConfig& access) {
    auto credentials = Credentials::Create(access, {.clock = clock_, .log = log_});
    EXPECT_TRUE(credentials.has_value()) << credentials.error().Describe();
    return credentials ? *std::move(credentials) : nullptr;
  }
  std::string WhyNot(const AccessConfig& access) {
    const auto credentials = Credentials::Create(access, {.clock = clock_, .log = log_});
    return credentials ? "it is fine" : credentials.error().Describe();
  }
  static std::string Authorization(Credentials& credentials) {
    Headers headers;
    const auto added = credentials.AddTo(headers);
    if (!added) return added.error().Describe();
    return std::string(transport::FindHeader(headers, "authorization"));
  }
  /// With a plugin that gives one token after the other, from what stands in the file "tokens".
  AccessConfig WithPlugin(const std::string& more = "") {
    AccessConfig access;
    const std::string at = folder_.path();
    const std::string command = folder_.WriteScript(
        "plugin", "echo x >> " + at + "/runs\n" + more +
                      "echo \"{apiVersion: client.authentication.k8s.io/v1, kind: ExecCredential, "
                      "status: {$(cat " +
                      at + "/status)}}\"\n");
    access.exec = ExecConfig{.place = {"/c", "users[0].user.exec"},
                             .command = command,
                             .args = {},
                             .env = {},
                             .api_version = "client.authentication.k8s.io/v1",
                             .install_hint = "",
                             .provide_cluster_info = false,
                             .interactive_mode = "Never"};
    return access;
  }
  std::size_t Runs() const { return folder_.Read("runs").size() / 2; }

  scripted::TestFolder folder_;
  FakeClock clock_;
  std::shared_ptr<StringLogSink> sink_ = std::make_shared<StringLogSink>();
  Logger log_{{.verbosity = 10}, clock_, sink_};
  const scripted::Authority authority_;
};

TEST_F(CredentialsTest, AddsTokenAndImpersonation) {
  AccessConfig access;
  access.token.data = "t";
  access.impersonation = {"jane", "7", {"a", "b"}, {{"Example.com/A%b", {"x", "y"}}}};
  const auto credentials = Make(access);
  Headers headers;
  ASSERT_TRUE(credentials->AddTo(headers).has_value());
  EXPECT_EQ(headers, (Headers{{"impersonate-user", "jane"},
                              {"impersonate-uid", "7"},
                              {"impersonate-group", "a"},
                              {"impersonate-group", "b"},
                              {"impersonate-extra-example.com%2fa%25b", "x"},
                              {"impersonate-extra-example.com%2fa%25b", "y"},
                              {"authorization", "Bearer t"}}));
  Headers own = {{"authorization", "Bearer mine"}, {"impersonate-user", "me"}};
  ASSERT_TRUE(credentials->AddTo(own).has_value());
  EXPECT_EQ(own, (Headers{{"authorization", "Bearer mine"}, {"impersonate-user", "me"}}));
}

TEST_F(CredentialsTest, AddNothingForNobody) {
  Headers headers;
  ASSERT_TRUE(Make({})->AddTo(headers).has_value());
  EXPECT_EQ(headers, Headers());
}

TEST_F(CredentialsTest, ReadsTheTokenFileAgainAndKeepsTheOldTokenWhileItIsGone) {
  AccessConfig access;
  access.token = {"", folder_.Write("token", "one\n"), "/c: users[0].user.tokenFile"};
  const auto credentials = Make(access);
  EXPECT_EQ(Authorization(*credentials), "Bearer one");
  folder_.Write("token", "two");
  EXPECT_EQ(Authorization(*credentials), "Bearer one");
  clock_.Advance(10s);
  EXPECT_EQ(Authorization(*credentials), "Bearer two");
  std::filesystem::remove(access.token.file);
  for (int i = 0; i < 3; ++i) {
    clock_.Advance(10s);
    EXPECT_EQ(Authorization(*credentials), "Bearer two");
  }
  const std::string log = sink_->text();
  const std::string complaint = "Unable to rotate token";
  EXPECT_THAT(log, HasSubstr(complaint));
  EXPECT_EQ(log.find(complaint), log.rfind(complaint));
  folder_.Write("token", "three");
  clock_.Advance(10s);
  EXPECT_EQ(Authorization(*credentials), "Bearer three");
}

TEST_F(CredentialsTest, ReadsTheTokenFileAtOnceWhenTheServerRefusesIt) {
  AccessConfig access;
  access.token = {"", folder_.Write("token", "one"), ""};
  const auto credentials = Make(access);
  Headers headers;
  const std::uint64_t version = *credentials->AddTo(headers);
  EXPECT_FALSE(credentials->Rejected(version));
  folder_.Write("token", "two");
  EXPECT_TRUE(credentials->Rejected(version));
  EXPECT_EQ(Authorization(*credentials), "Bearer two");
  EXPECT_TRUE(credentials->Rejected(version)) << "another request of before";
}

TEST_F(CredentialsTest, UsesTheTokenOfTheConfigurationUntilTheFileIsThere) {
  AccessConfig access;
  access.token = {"static", folder_.path() + "/token", "/c: users[0].user.tokenFile"};
  const auto credentials = Make(access);
  EXPECT_EQ(Authorization(*credentials), "Bearer static");
  folder_.Write("token", "file");
  clock_.Advance(10s);
  EXPECT_EQ(Authorization(*credentials), "Bearer file");
}

TEST_F(CredentialsTest, TakesANewCertificateOnceItsKeyIsThereToo) {
  const scripted::Identity one = authority_.Issue("one");
  const scripted::Identity two = authority_.Issue("two");
  AccessConfig access;
  access.tls_server_name = "n";
  access.certificate_authority = {"", folder_.Write("ca", authority_.certificate()), "ca"};
  access.client_certificate = {"", folder_.Write("crt", one.certificate), "crt"};
  access.client_key = {"", folder_.Write("key", one.key), "key"};
  const auto credentials = Make(access);
  int changes = 0;
  credentials->WhenTlsChanges([&] { ++changes; });
  const transport::TlsOptions before{.roots = authority_.certificate(),
                                     .certificate = one.certificate,
                                     .key = one.key,
                                     .server_name = "n",
                                     .skip_server_check = false};
  EXPECT_EQ(credentials->Tls(), before);

  folder_.Write("crt", two.certificate);
  clock_.Advance(10s);
  EXPECT_EQ(credentials->Tls(), before);
  EXPECT_THAT(sink_->text(), HasSubstr("Loading client cert failed"));
  EXPECT_EQ(changes, 0);

  folder_.Write("key", two.key);
  clock_.Advance(10s);
  EXPECT_EQ(Authorization(*credentials), "");
  EXPECT_EQ(changes, 1);
  EXPECT_EQ(credentials->Tls().certificate, two.certificate);
  EXPECT_EQ(credentials->Tls().key, two.key);

  const scripted::Authority other;
  folder_.Write("ca", other.certificate());
  clock_.Advance(10s);
  EXPECT_EQ(credentials->Tls().roots, other.certificate());
  EXPECT_EQ(changes, 2);
}

TEST_F(CredentialsTest, NameWhatNoConnectionCouldBeMadeWith) {
  const scripted::Identity good = authority_.Issue("good");
  AccessConfig access;
  access.certificate_authority = {"s3cret", "",
                                  "/c: clusters[0].cluster.certificate-authority-data"};
  EXPECT_EQ(WhyNot(access),
            "malformed: /c: clusters[0].cluster.certificate-authority-data: CA certificate is not "
            "valid PEM: no start line");
  access.certificate_authority = {"", folder_.Write("ca", ""), "/c: ca"};
  EXPECT_EQ(WhyNot(access), "malformed: /c: ca: " + folder_.path() + "/ca: is empty");

  access.certificate_authority = {};
  access.client_certificate = {"s3cret", "", "/c: crt"};
  access.client_key = {good.key, "", "/c: key"};
  EXPECT_EQ(WhyNot(access), "malformed: /c: crt: contains no PEM-encoded certificate");
  access.client_certificate.data = authority_.Issue("another").certificate;
  EXPECT_EQ(WhyNot(access),
            "malformed: /c: key: private key does not match the client certificate");
  access.client_key.data = "-----BEGIN ENCRYPTED PRIVATE KEY-----\n";
  EXPECT_EQ(WhyNot(access),
            "unsupported: /c: key: contains an encrypted private key, which is not supported");

  access.client_certificate = {"", folder_.Write("crt", good.certificate), "/c: crt"};
  access.client_key = {"", folder_.Write("key", good.key), "/c: key"};
  EXPECT_EQ(WhyNot(access), "it is fine");
  clock_.Advance(24h * 3650);
  EXPECT_EQ(WhyNot(access), "unauthorized: /c: crt: " + folder_.path() +
                                "/crt: the client certificate has expired");

  AccessConfig token;
  token.token = {"", folder_.Write("token", " \n"), "/c: tokenFile"};
  EXPECT_EQ(WhyNot(token), "malformed: /c: tokenFile: " + folder_.path() + "/token: file is empty");
}

TEST_F(CredentialsTest, ACertificateThatEndsAfterAllThatNanosecondsHoldHasNotExpired) {
  constexpr long kEightThousandYears = 250'000'000'000;
  const scripted::Identity lasting = authority_.Issue("lasting", "", {}, kEightThousandYears);
  AccessConfig access;
  access.client_certificate = {"", folder_.Write("crt", lasting.certificate), "/c: crt"};
  access.client_key = {"", folder_.Write("key", lasting.key), "/c: key"};
  EXPECT_EQ(WhyNot(access), "it is fine");
}

TEST_F(CredentialsTest, RunThePluginOnceUntilItsTokenExpires) {
  folder_.Write("status", "token: one, expirationTimestamp: '2026-01-01T01:00:00Z'");
  const auto credentials = Make(WithPlugin());
  EXPECT_EQ(Runs(), 0U);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Authorization(*credentials), "Bearer one");
  EXPECT_EQ(Runs(), 1U);
  folder_.Write("status", "token: two");
  clock_.Advance(1h);
  EXPECT_EQ(Authorization(*credentials), "Bearer one");
  clock_.Advance(1s);
  EXPECT_EQ(Authorization(*credentials), "Bearer two");
  clock_.Advance(24h);
  EXPECT_EQ(Authorization(*credentials), "Bearer two");
  EXPECT_EQ(Runs(), 2U);
}

TEST_F(CredentialsTest, RunThePluginAgainWhenTheServerRefusesItsTokenAndKeepTheOldIfItFails) {
  folder_.Write("status", "token: one");
  const auto credentials = Make(WithPlugin());
  Headers headers;
  const std::uint64_t version = *credentials->AddTo(headers);
  folder_.Write("status", "");
  EXPECT_FALSE(credentials->Rejected(version));
  EXPECT_EQ(Authorization(*credentials), "Bearer one");
  folder_.Write("status", "token: two");
  EXPECT_TRUE(credentials->Rejected(version));
  EXPECT_TRUE(credentials->Rejected(version)) << "another request of before";
  EXPECT_EQ(Authorization(*credentials), "Bearer two");
  EXPECT_EQ(Runs(), 3U);
}

TEST_F(CredentialsTest, AskThePluginOnceForAllWhoWait) {
  folder_.Write("status", "token: one");
  const auto credentials =
      Make(WithPlugin("while [ ! -e " + folder_.path() + "/go ]; do sleep 0.01; done\n"));
  std::atomic<int> right = 0;
  ElasticExecutor executor(clock_);
  for (int i = 0; i < 8; ++i) {
    executor.Start("asks", [&] { right += Authorization(*credentials) == "Bearer one" ? 1 : 0; });
  }
  clock_.WaitForWaiters(7);
  folder_.Write("go", "");
  executor.Drain();
  EXPECT_EQ(right, 8);
  EXPECT_EQ(Runs(), 1U);
}

TEST_F(CredentialsTest, SayWhyThereAreNoneToEachRequest) {
  folder_.Write("status", "");
  const auto credentials = Make(WithPlugin());
  const std::string why = "malformed: /c: users[0].user.exec.command: the answer of " +
                          folder_.path() +
                          "/plugin: status: has neither a token nor a client certificate";
  EXPECT_EQ(Authorization(*credentials), why);
  EXPECT_EQ(Authorization(*credentials), why);
  EXPECT_EQ(Runs(), 2U);
}

std::string Quoted(const std::string& text) { return api::Json(text).ToString(); }

TEST_F(CredentialsTest, TellWhenThePluginHasAnotherCertificate) {
  const auto status = [](const scripted::Identity& identity) {
    return "clientCertificateData: " + Quoted(identity.certificate) +
           ", clientKeyData: " + Quoted(identity.key);
  };
  const scripted::Identity one = authority_.Issue("one");
  const scripted::Identity two = authority_.Issue("two");
  folder_.Write("status", status(one));
  AccessConfig access = WithPlugin();
  // The shell's echo would resolve the line breaks.
  access.exec->command = folder_.WriteScript(
      "plugin",
      "printf '%s' '{apiVersion: client.authentication.k8s.io/v1, kind: ExecCredential, "
      "status: {'\ncat " +
          folder_.path() + "/status\necho '}}'\n");
  const auto credentials = Make(access);
  int changes = 0;
  credentials->WhenTlsChanges([&] { ++changes; });
  EXPECT_EQ(credentials->Tls(), transport::TlsOptions());
  Headers headers;
  const auto version = credentials->AddTo(headers);
  ASSERT_TRUE(version.has_value()) << version.error().Describe();
  EXPECT_EQ(headers, Headers());
  EXPECT_EQ(credentials->Tls().certificate, one.certificate);
  EXPECT_EQ(changes, 0);
  folder_.Write("status", status(two));
  EXPECT_TRUE(credentials->Rejected(*version));
  EXPECT_EQ(changes, 1);
  EXPECT_EQ(credentials->Tls().certificate, two.certificate);
  EXPECT_EQ(credentials->Tls().key, two.key);
}

TEST_F(CredentialsTest, RotateOnARealConnection) {
  RealClock clock;
  ElasticExecutor executor(clock);
  transport::Network network(executor);
  const scripted::Server server(
      executor, [](const scripted::Request& request) { request.Answer(200, request.client()); },
      {.wants_client_certificate = true});
  const scripted::Identity one = server.authority().Issue("one");
  const scripted::Identity two = server.authority().Issue("two");
  AccessConfig access;
  access.certificate_authority = {server.authority().certificate(), "", "ca"};
  access.client_certificate = {"", folder_.Write("crt", one.certificate), "crt"};
  access.client_key = {"", folder_.Write("key", one.key), "key"};
  const auto credentials = Make(access);
  transport::HttpTransport transport(network, {.server = *transport::Url::Parse(server.url()),
                                               .proxy = std::nullopt,
                                               .tls = [&] { return credentials->Tls(); }});
  credentials->WhenTlsChanges([&] { transport.Renew(); });

  const auto ask = [&]() -> std::string {
    transport::Request request{.target = "/", .timeout = 5s};
    if (const auto added = credentials->AddTo(request.headers); !added) return "no credentials";
    const auto response = transport::Fetch(transport, clock, std::move(request));
    return response ? response->body : response.error().Describe();
  };
  EXPECT_EQ(ask(), "one");
  folder_.Write("crt", two.certificate);
  folder_.Write("key", two.key);
  EXPECT_EQ(ask(), "one");
  clock_.Advance(10s);
  EXPECT_EQ(ask(), "two");
}

TEST_F(CredentialsTest, LogNoSecretWhateverHappens) {
  const scripted::Identity one = authority_.Issue("one");
  const scripted::Identity two = authority_.Issue("two");
  AccessConfig files;
  files.token = {"s3cret-static", folder_.Write("token", "s3cret-one"), "token"};
  files.client_certificate = {"", folder_.Write("crt", one.certificate), "crt"};
  files.client_key = {"", folder_.Write("key", one.key), "key"};
  const auto credentials = Make(files);
  const auto turn = [&] {
    clock_.Advance(10s);
    Headers headers;
    credentials->Rejected(credentials->AddTo(headers).value_or(0));
  };
  for (const char* token : {"s3cret-two", "s3cret\nbroken", ""}) {
    folder_.Write("token", token);
    turn();
  }
  folder_.Write("key", two.key);
  turn();
  folder_.Write("crt", two.certificate);
  turn();

  AccessConfig access = WithPlugin("echo \"s3cret-three\" >&2\n");
  access.exec->env = {{"PASSWORD", "s3cret-env"}};
  const auto plugin = Make(access);
  std::string errors;
  for (const char* status :
       {"token: s3cret-three", "token: [s3cret-three]", "clientKeyData: s3cret"}) {
    folder_.Write("status", status);
    Headers headers;
    const auto version = plugin->AddTo(headers);
    if (!version) errors += version.error().Describe();
    if (std::string_view(status) == "token: s3cret-three") plugin->Rejected(version.value_or(0));
  }
  const std::string text = sink_->text() + errors;
  EXPECT_THAT(text, HasSubstr("Certificate rotation detected"));
  EXPECT_THAT(text, Not(HasSubstr("s3cret")));
  EXPECT_THAT(text, Not(HasSubstr("PRIVATE KEY")));
  EXPECT_THAT(text, Not(HasSubstr("Bearer")));
  EXPECT_THAT(text, Not(HasSubstr(two.key.substr(40, 40))));
}

}  // namespace
}  // namespace flyball::client

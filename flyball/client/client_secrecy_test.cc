// Nothing that is secret gets into a log, however verbose, or into an error: every verb with every
// kind of credential, against a server that shows what it was sent to whoever asks.

#include <set>

#include "flyball/api/base64.h"
#include "flyball/base/fake_clock.h"
#include "flyball/base/mutex.h"
#include "flyball/client/credentials.h"
#include "flyball/transport/http_transport.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/scripted/proxy.h"
#include "tests/scripted/server.h"
#include "tests/scripted/test_folder.h"
#include "tests/verbs/verbs.h"

namespace flyball::client {
namespace {

using namespace std::chrono_literals;
using scripted::Request;
using testing::HasSubstr;
using verbs::Verb;

/// What the server does with a request.
enum class Mood : std::uint8_t {
  kHealthy,
  kUnauthorized,  ///< 401, once
  kEcho,          ///< a proxy's page that shows the request
  kHalf,          ///< half an answer
  kRetry,
  kGone,
};

class ClientSecrecyTest : public testing::Test {
 protected:
  ClientSecrecyTest() { clock_.SkipWaits(); }

  /// A kubeconfig whose user has this YAML, on one line.
  std::string Kubeconfig(const std::string& user, const std::string& cluster = "") {
    return folder_.Write(
        "config",
        "{apiVersion: v1, kind: Config, current-context: c, contexts: [{name: c, context: "
        "{cluster: k, user: u}}], clusters: [{name: k, cluster: {server: '" +
            server_.url() + "', certificate-authority-data: " +
            api::EncodeBase64(server_.authority().certificate()) + cluster +
            "}}], users: [{name: u, user: {" + user + "}}]}");
  }

  /// A user's YAML with a plugin that runs this.
  std::string Plugin(const std::string& script, const std::string& more = "") {
    return "exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: "
           "'" +
           folder_.WriteScript("plugin", script) + "'" + more + "}";
  }
  static std::string Answer(const std::string& status) {
    return "echo '{apiVersion: client.authentication.k8s.io/v1, kind: ExecCredential, status: {" +
           status + "}}'\n";
  }

  /// Runs every verb in every mood, as somebody with this kubeconfig. `then` is called after the
  /// first.
  void RunEverything(
      const std::string& kubeconfig, const std::function<void()>& then = [] {},
      const std::vector<Mood>& moods = {Mood::kHealthy, Mood::kUnauthorized, Mood::kEcho,
                                        Mood::kHalf, Mood::kRetry, Mood::kGone}) {
    Environment environment;
    environment.variable = [](const std::string&) { return ""; };
    const auto access = ToolAccess(kubeconfig, {}, environment, log_);
    if (!access) return Note(access.error());
    const auto credentials = Credentials::Create(*access, {.clock = clock_, .log = log_});
    if (!credentials) return Note(credentials.error());
    transport::HttpTransport::Options options;
    options.server = access->server;
    options.proxy = access->proxy;
    options.tls = [&] { return (*credentials)->Tls(); };
    transport::HttpTransport transport(network_, options);
    (*credentials)->WhenTlsChanges([&] { transport.Renew(); });
    RestClient rest(
        {.transport = transport, .clock = clock_, .credentials = credentials->get(), .log = log_},
        {});
    const Client client(rest);
    const auto verbs = verbs::AllVerbs("space", Encoding::kProtobuf);
    for (const Mood mood : moods) {
      for (const Verb& verb : verbs) {
        Set(mood, verb);
        if (const auto result = verb.run(client); !result) Note(result.error());
      }
      if (mood == moods.front()) then();
    }
  }

  /// Keeps all that an error says.
  void Note(const Error& error) {
    errors_ += error.Describe() + "\n";
    for (const ErrorCause& cause : error.detail().causes) {
      errors_ += cause.reason + " " + cause.field + " " + cause.message + "\n";
    }
  }

  /// That this is nowhere, neither plain nor as kubeconfigs have it.
  void ExpectSecret(const std::string& secret) {
    std::istringstream lines(sink_->text() + errors_);
    for (std::string line; std::getline(lines, line);) {
      for (const std::string& form : {secret, api::EncodeBase64(secret)}) {
        if (line.find(form) != std::string::npos) ADD_FAILURE() << form << " is in: " << line;
      }
    }
  }
  /// The same of each line of a key.
  void ExpectSecretKey(const std::string& key) {
    ExpectSecret(key);
    std::istringstream lines(key);
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("-----")) ExpectSecret(line);
    }
  }
  /// That the server has been shown this, so that there was something to be kept secret.
  void ExpectUsed(const std::string& authorization_or_client) {
    const MutexLock lock(mutex_);
    EXPECT_TRUE(seen_.contains(authorization_or_client)) << testing::PrintToString(seen_);
  }

  scripted::TestFolder folder_;
  FakeClock clock_{RealClock().WallNow()};
  std::shared_ptr<StringLogSink> sink_ = std::make_shared<StringLogSink>();
  Logger log_{{.verbosity = 10}, clock_, sink_};
  std::string errors_;
  RealClock real_clock_;
  ElasticExecutor executor_{real_clock_};
  transport::Network network_{executor_};
  scripted::Server server_{executor_,
                           [this](const Request& request) { Handle(request); },
                           {.wants_client_certificate = true}};

 private:
  void Set(Mood mood, const Verb& verb) {
    const MutexLock lock(mutex_);
    mood_ = mood;
    verb_ = &verb;
  }

  void Handle(const Request& request) {
    const MutexLock lock(mutex_);
    seen_.emplace(transport::FindHeader(request.headers(), "authorization"));
    seen_.insert(request.client());
    const Mood mood = std::exchange(mood_, mood_ == Mood::kEcho ? mood_ : Mood::kHealthy);
    switch (mood) {
      case Mood::kHealthy:
        return request.Answer(200, verb_->answer);
      case Mood::kUnauthorized:
        return request.Answer(401, Shown(request));
      case Mood::kEcho:
        return request.Answer(502, Shown(request));
      case Mood::kHalf:
        request.Head(200);
        request.Data(verb_->answer.substr(0, verb_->answer.size() / 2));
        return request.End();
      case Mood::kRetry:
        return request.Answer(503, Shown(request), {{"retry-after", "1"}});
      case Mood::kGone:
        return request.Kill();
    }
  }

  static std::string Shown(const Request& request) {
    std::string page = "<pre>authorization: ";
    page += transport::FindHeader(request.headers(), "authorization");
    for (const auto& [name, value] : request.headers()) page += "\n" + name + ": " + value;
    return page + "</pre>";
  }

  Mutex mutex_;
  Mood mood_ FLYBALL_GUARDED_BY(mutex_) = Mood::kHealthy;
  const Verb* verb_ FLYBALL_GUARDED_BY(mutex_) = nullptr;
  std::set<std::string> seen_ FLYBALL_GUARDED_BY(mutex_);
};

TEST_F(ClientSecrecyTest, OfAToken) {
  RunEverything(Kubeconfig("token: s3cret-token"));
  ExpectUsed("Bearer s3cret-token");
  ExpectSecret("s3cret-token");
  ExpectSecret(std::string(verbs::kIssuedToken));
  EXPECT_THAT(errors_, HasSubstr("authorization: Bearer ..."));
  EXPECT_THAT(sink_->text(), HasSubstr("Retrying request"));
}

TEST_F(ClientSecrecyTest, OfATokenFileThatRotatesAndThenMakesNoSense) {
  const std::string file = folder_.Write("token", "s3cret-token");
  RunEverything(Kubeconfig("tokenFile: " + file), [&] { folder_.Write("token", "s3cret-second"); });
  RunEverything(Kubeconfig("tokenFile: " + file),
                [&] { folder_.Write("token", "s3cret-third\nX-Header: s3cret-third"); });
  folder_.Write("token", "s3cret-fourth\r\n\tX-Header: s3cret-fourth");
  RunEverything(Kubeconfig("tokenFile: " + file));
  ExpectUsed("Bearer s3cret-token");
  ExpectUsed("Bearer s3cret-second");
  ExpectSecret("s3cret");
  EXPECT_THAT(sink_->text(), HasSubstr("Token changed"));
  EXPECT_THAT(sink_->text(), HasSubstr("Unable to rotate token"));
}

TEST_F(ClientSecrecyTest, OfAKey) {
  const auto mine = server_.authority().Issue("jane");
  const auto other = server_.authority().Issue("john");
  RunEverything(Kubeconfig("client-certificate-data: " + api::EncodeBase64(mine.certificate) +
                           ", client-key-data: " + api::EncodeBase64(mine.key)));
  ExpectUsed("jane");
  // A key that is not the certificate's, and one that is none.
  RunEverything(Kubeconfig("client-certificate-data: " + api::EncodeBase64(mine.certificate) +
                           ", client-key-data: " + api::EncodeBase64(other.key)));
  RunEverything(Kubeconfig("client-certificate-data: " + api::EncodeBase64(mine.certificate) +
                           ", client-key-data: " + api::EncodeBase64(other.key.substr(0, 99))));
  RunEverything(Kubeconfig("client-certificate-data: " + api::EncodeBase64(mine.certificate) +
                           ", client-key-data: '" + mine.key.substr(30, 60) + "'"));
  EXPECT_THAT(errors_, HasSubstr("private key does not match the client certificate"));
  ExpectSecretKey(mine.key);
  ExpectSecretKey(other.key);
}

TEST_F(ClientSecrecyTest, OfAKeyInAFileThatRotatesAndThenMakesNoSense) {
  const auto first = server_.authority().Issue("jane");
  const auto second = server_.authority().Issue("john");
  const std::string user = "client-certificate: " + folder_.Write("crt", first.certificate) +
                           ", client-key: " + folder_.Write("key", first.key);
  RunEverything(Kubeconfig(user), [&] {
    folder_.Write("crt", second.certificate);
    folder_.Write("key", second.key);
  });
  ExpectUsed("jane");
  ExpectUsed("john");
  RunEverything(Kubeconfig(user), [&] { folder_.Write("key", first.key); });
  EXPECT_THAT(sink_->text(), HasSubstr("Certificate rotation detected"));
  EXPECT_THAT(sink_->text(), HasSubstr("Loading client cert failed"));
  ExpectSecretKey(first.key);
  ExpectSecretKey(second.key);
}

TEST_F(ClientSecrecyTest, OfWhatAPluginGives) {
  RunEverything(Kubeconfig(Plugin("echo 'got s3cret-token' >&2\n" + Answer("token: s3cret-token"),
                                  ", args: [s3cret-argument], env: [{name: PASSWORD, value: "
                                  "s3cret-variable}]")));
  ExpectUsed("Bearer s3cret-token");
  EXPECT_THAT(sink_->text(), HasSubstr("line=\"got ...\""));
  ExpectSecret("s3cret");

  const auto mine = server_.authority().Issue("jane");
  folder_.Write("key", mine.key);
  folder_.Write("answer", R"({"apiVersion":"client.authentication.k8s.io/v1",)"
                          R"("kind":"ExecCredential","status":{"clientCertificateData":)" +
                              api::Json(mine.certificate).ToString() + R"(,"clientKeyData":)" +
                              api::Json(mine.key).ToString() + "}}");
  RunEverything(Kubeconfig(Plugin("cd " + folder_.path() + "; cat key >&2; cat answer\n")));
  ExpectUsed("jane");
  ExpectSecretKey(mine.key);
}

TEST_F(ClientSecrecyTest, OfAPluginThatMakesNoSense) {
  const std::string scripts[] = {
      "echo s3cret-garbage; echo found s3cret-garbage >&2",
      "echo '{token: *s3cret-garbage}'; echo found s3cret-garbage >&2",
      "echo '{\"status\": {\"token\": \"s3cret-garbage\"'; echo s3cret-garbage >&2",
      Answer("token: \"s3cret-garbage\\n\"") + "echo s3cret-garbage >&2",
      Answer("clientCertificateData: s3cret-garbage, clientKeyData: s3cret-garbage") +
          "echo s3cret-garbage >&2",
      Answer("token: s3cret-garbage, expirationTimestamp: s3cret-garbage"),
      Answer("token: [s3cret-garbage]") + "echo s3cret-garbage >&2",
      Answer("token: s3cret-garbage") + "echo s3cret-garbage >&2; exit 3",
      "echo token=s3cret-garbage >&2; exit 1",
      "set -x; curl --no-such-option -H 'Authorization: Bearer s3cret-garbage'",
  };
  for (const std::string& script : scripts) {
    SCOPED_TRACE(script);
    RunEverything(Kubeconfig(Plugin(script)), [] {}, {Mood::kHealthy});
    ExpectSecret("s3cret-garbage");
  }
  EXPECT_THAT(sink_->text(), HasSubstr("line=\"found ...\""));
}

TEST_F(ClientSecrecyTest, OfAPassword) {
  RunEverything(Kubeconfig("username: jane, password: s3cret-password"));
  EXPECT_THAT(sink_->text(), HasSubstr("Ignored username and password"));
  ExpectSecret("s3cret-password");
}

TEST_F(ClientSecrecyTest, OfAProxysPassword) {
  for (const bool refuses : {false, true}) {
    const scripted::Proxy proxy(
        executor_, {.user = "jane", .password = "s3cret-password", .refuses = refuses});
    RunEverything(Kubeconfig("token: s3cret-token", ", proxy-url: '" + proxy.url() + "'"));
  }
  ExpectUsed("Bearer s3cret-token");
  EXPECT_THAT(errors_, HasSubstr("proxy"));
  RunEverything(Kubeconfig("token: s3cret-token", ", proxy-url: 'http://jane:s3cret-password@:'"));
  RunEverything(Kubeconfig("token: s3cret-token", ", proxy-url: 'http://jane:s3cret-password%'"));
  ExpectSecret("s3cret");
}

TEST_F(ClientSecrecyTest, OfAKubeconfigThatDoesNotParse) {
  for (const char* user : {"token: *s3cret", "token: [s3cret]", "token: \"s3cret", "token: {s3cret",
                           "client-key-data: s3cret!", "token: !!int s3cret", "as: \"s3cret\\n\"",
                           "token: s3cret, username: s3cret", "s3cret: s3cret: s3cret"}) {
    SCOPED_TRACE(user);
    const std::string before = errors_;
    RunEverything(Kubeconfig(user));
    EXPECT_NE(errors_, before);
    ExpectSecret("s3cret");
  }
}

/// What is wrong with a body that a server answers with.
template <typename T>
std::string WhyNot(std::string_view body) {
  const auto object = DecodeBody<T>(body);
  return object ? "it is fine" : object.error().Describe();
}

TEST(DecodeBody, QuotesNoSecretOfWhatItCannotRead) {
  using authentication::v1::TokenRequest;
  using core::v1::Secret;
  std::string errors;
  for (const char* body : {
           R"({"kind":"Secret","apiVersion":"v1","data":{"key":"s3cret!"}})",
           R"({"kind":"Secret","apiVersion":"v1","data":{"key":["s3cret"]}})",
           R"({"kind":"Secret","apiVersion":"v1","data":"s3cret"})",
           R"({"kind":"Secret","apiVersion":"v1","data":{"key":"s3cr)",
           R"({"kind":"Secret","apiVersion":"v1","stringData":{"key":"s3cret\q"}})",
           R"({"kind":"Secret","apiVersion":"v1","immutable":"s3cret"})",
           R"({"kind":"Node","apiVersion":"v1","data":{"key":"czNjcmV0"}})",
           "s3cret",
           "k8s\0s3cret",
       }) {
    errors += WhyNot<Secret>(body) + "\n";
  }
  for (const char* body : {
           R"({"kind":"TokenRequest","apiVersion":"authentication.k8s.io/v1",)"
           R"("status":{"token":["s3cret"]}})",
           R"({"kind":"TokenRequest","apiVersion":"authentication.k8s.io/v1","status":"s3cret"})",
           R"({"kind":"TokenRequest","apiVersion":"authentication.k8s.io/v1",)"
           R"("status":{"token":"s3cret)",
       }) {
    errors += WhyNot<TokenRequest>(body) + "\n";
  }
  EXPECT_EQ(errors.find("it is fine"), std::string::npos) << errors;
  Secret secret;
  secret.data["key"] = "s3cret";
  const std::string whole = EncodeBody(&secret, Secret::kType, Encoding::kProtobuf)->bytes;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    errors += WhyNot<Secret>(std::string_view(whole).substr(0, size)) + "\n";
  }
  EXPECT_EQ(errors.find("s3cr"), std::string::npos) << errors;
  EXPECT_EQ(errors.find("czNj"), std::string::npos) << errors;
}

}  // namespace
}  // namespace flyball::client

#include "flyball/client/exec_plugin.h"

#include <sys/wait.h>

#include <cerrno>
#include <cstdlib>

#include "flyball/base/executor.h"
#include "flyball/base/fake_clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/scripted/certificates.h"
#include "tests/scripted/test_folder.h"

namespace flyball::client {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kV1 = "client.authentication.k8s.io/v1";

class ExecPluginTest : public testing::Test {
 protected:
  void SetUp() override {
    access_.server = *transport::Url::Parse("https://h:6443");
    access_.server_text = "https://h:6443";
    access_.exec = ExecConfig{.place = {"/c", "users[0].user.exec"},
                              .command = "",
                              .args = {},
                              .env = {},
                              .api_version = std::string(kV1),
                              .install_hint = "",
                              .provide_cluster_info = false,
                              .interactive_mode = "Never"};
    options_.has_terminal = [] { return false; };
  }
  Result<IssuedCredential> Run(const std::string& script) {
    access_.exec->command = folder_.WriteScript("plugin", script);
    return RunAsIs();
  }
  Result<IssuedCredential> RunAsIs() {
    FLYBALL_TRY(const ExecPlugin plugin, ExecPlugin::Create(access_, {clock_, log_}, options_));
    return plugin.Run();
  }
  /// What is wrong, behind the place.
  std::string WhyNot(const std::string& script) {
    const auto credential = Run(script);
    if (credential) return "it is fine";
    std::string text = credential.error().Describe();
    const std::string place = "/c: users[0].user.exec.command: ";
    if (const auto at = text.find(place); at != std::string::npos) text.erase(at, place.size());
    const std::string& command = access_.exec->command;
    if (const auto at = text.find(command); at != std::string::npos) {
      text.replace(at, command.size(), "PLUGIN");
    }
    return text;
  }
  static std::string Answer(const std::string& status) {
    return "echo '{\"apiVersion\": \"" + std::string(kV1) +
           "\", \"kind\": \"ExecCredential\", \"status\": {" + status + "}}'\n";
  }

  scripted::TestFolder folder_;
  FakeClock clock_;
  std::shared_ptr<StringLogSink> sink_ = std::make_shared<StringLogSink>();
  Logger log_{{.verbosity = 10}, clock_, sink_};
  AccessConfig access_;
  ExecPlugin::Options options_;
};

TEST_F(ExecPluginTest, TakesTokenAndExpiryFromTheAnswer) {
  const auto credential =
      Run(Answer(R"("token": "t", "expirationTimestamp": "2026-01-01T01:00:00Z")"));
  ASSERT_TRUE(credential.has_value()) << credential.error().Describe();
  EXPECT_EQ(*credential,
            (IssuedCredential{
                .token = "t", .certificate = "", .key = "", .expires = FakeClock::kStart + 1h}));
}

TEST_F(ExecPluginTest, TakesCertificateAndKeyFromTheAnswer) {
  const scripted::Identity identity = scripted::Authority().Issue("jane");
  api::Json::Object status;
  status["clientCertificateData"] = identity.certificate;
  status["clientKeyData"] = identity.key;
  api::Json::Object answer;
  answer["apiVersion"] = kV1;
  answer["kind"] = "ExecCredential";
  answer["status"] = std::move(status);
  folder_.Write("answer", api::Json(std::move(answer)).ToString());
  const auto credential = Run("cat " + folder_.path() + "/answer\n");
  ASSERT_TRUE(credential.has_value()) << credential.error().Describe();
  EXPECT_EQ(*credential, (IssuedCredential{.token = "",
                                           .certificate = identity.certificate,
                                           .key = identity.key,
                                           .expires = std::nullopt}));
}

TEST_F(ExecPluginTest, GivesArgumentsEnvironmentAndWhatItMayKnowOfTheCluster) {
  setenv("FLYBALL_TEST_OURS", "ours", 1);
  setenv("FLYBALL_TEST_BOTH", "ours", 1);
  access_.exec->args = {"a b", "$c"};
  access_.exec->env = {{"FLYBALL_TEST_BOTH", "theirs"}, {"TOKEN", "t"}};
  access_.exec->provide_cluster_info = true;
  access_.tls_server_name = "n";
  access_.proxy_text = "http://proxy";
  access_.certificate_authority = {"", folder_.Write("ca", "CA"), "x"};
  access_.exec_extension = api::Json::Object{{"audience", "a"}};
  const auto credential =
      Run("printf '%s|' \"$1\" \"$2\" $FLYBALL_TEST_OURS $FLYBALL_TEST_BOTH > " + folder_.path() +
          "/seen\nprintf '%s' \"$KUBERNETES_EXEC_INFO\" > " + folder_.path() + "/info\ncat > " +
          folder_.path() + "/stdin\n" +
          "echo \"{apiVersion: client.authentication.k8s.io/v1, kind: ExecCredential, "
          "status: {token: $TOKEN}}\"\n");
  ASSERT_TRUE(credential.has_value()) << credential.error().Describe();
  EXPECT_EQ(credential->token, "t");
  EXPECT_EQ(folder_.Read("seen"), "a b|$c|ours|theirs|");
  EXPECT_EQ(folder_.Read("stdin"), "");
  EXPECT_EQ(folder_.Read("info"),
            R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","spec":{)"
            R"("cluster":{"certificate-authority-data":"Q0E=","config":{"audience":"a"},)"
            R"("proxy-url":"http://proxy","server":"https://h:6443","tls-server-name":"n"},)"
            R"("interactive":false}})");
}

TEST_F(ExecPluginTest, SaysWhatIsWrongWithTheAnswer) {
  const std::string answer = "malformed: the answer of PLUGIN: ";
  EXPECT_EQ(WhyNot("echo '{'"), "malformed: the answer of PLUGIN: invalid YAML, line 2, column 1");
  EXPECT_EQ(WhyNot("true"), answer + "kind: must be ExecCredential");
  EXPECT_EQ(WhyNot("echo s3cret"), "malformed: the answer of PLUGIN: must be a mapping");
  EXPECT_EQ(WhyNot("echo '{kind: ExecCredential, apiVersion: "
                   "client.authentication.k8s.io/v1beta1, status: {token: s3cret}}'"),
            answer +
                "apiVersion: must be client.authentication.k8s.io/v1, the version that the plugin "
                "was asked for");
  EXPECT_EQ(WhyNot("echo '{kind: ExecCredential, apiVersion: client.authentication.k8s.io/v1}'"),
            answer + "status: is missing");
  EXPECT_EQ(WhyNot(Answer("")), answer + "status: has neither a token nor a client certificate");
  EXPECT_EQ(WhyNot(Answer(R"("token": 5)")), answer + "status.token: must be a string");
  EXPECT_EQ(WhyNot(Answer(R"("token": "a", "clientKeyData": "s3cret")")),
            answer + "status: has only one of clientCertificateData and clientKeyData");
  EXPECT_EQ(WhyNot(Answer(R"("clientCertificateData": "s3cret", "clientKeyData": "s3cret")")),
            answer + "status.clientCertificateData: contains no PEM-encoded certificate");
  EXPECT_EQ(WhyNot(Answer(R"("token": "t", "expirationTimestamp": "soon")")),
            answer + "status.expirationTimestamp: must be a time in the form of RFC 3339");
}

TEST_F(ExecPluginTest, SaysWhatIsWrongWithTheCommand) {
  access_.exec->command = "flyball-no-such-plugin";
  access_.exec->install_hint = "get it \x1b[1mhere";
  EXPECT_EQ(RunAsIs().error().Describe(),
            "not found: /c: users[0].user.exec.command: flyball-no-such-plugin: not found in PATH. "
            "get it U+001B[1mhere");
  access_.exec->command = folder_.path() + "/gone";
  EXPECT_EQ(RunAsIs().error().Describe(),
            "not found: /c: users[0].user.exec.command: " + folder_.path() +
                "/gone: No such file or directory. get it U+001B[1mhere");
  EXPECT_EQ(WhyNot("exit 3"), "i/o: executable PLUGIN failed with exit code 3");
  EXPECT_EQ(WhyNot("kill -9 $$"), "i/o: executable PLUGIN failed with exit code 137");
}

TEST_F(ExecPluginTest, RunsWithoutATerminalUnlessItMustHaveOne) {
  access_.exec->interactive_mode = "IfAvailable";
  EXPECT_TRUE(Run(Answer(R"("token": "t")")).has_value());
  access_.exec->interactive_mode = "Always";
  EXPECT_EQ(RunAsIs().error().Describe(),
            "unsupported: /c: users[0].user.exec.interactiveMode: is Always, but standard input is "
            "not a terminal");
}

TEST_F(ExecPluginTest, KillsWhatDoesNotEndWithAllThatItStarted) {
  ElasticExecutor executor(clock_);
  executor.Start("time", [&] {
    while (folder_.Read("child").empty()) RealClock().SleepFor(1ms);
    clock_.Advance(2min);
  });
  EXPECT_EQ(WhyNot("sleep 600 &\necho $! > " + folder_.path() + "/child\nwait\n"),
            "timeout: PLUGIN: did not exit within its timeout and was killed");
  executor.Drain();
  const pid_t grandchild = std::atoi(folder_.Read("child").c_str());
  ASSERT_GT(grandchild, 0);
  // Gone, or about to be: it is init's to reap, or whoever stands in for it.
  bool gone = false;
  for (int i = 0; i < 500 && !gone; ++i) {
    std::ifstream status("/proc/" + std::to_string(grandchild) + "/stat");
    std::string text;
    std::getline(status, text);
    gone = text.empty() || text.find(") Z") != std::string::npos;
    if (!gone) RealClock().SleepFor(10ms);
  }
  EXPECT_TRUE(gone);
}

TEST_F(ExecPluginTest, KillsWhatWritesWithoutEnd) {
  EXPECT_EQ(WhyNot("yes s3cret"), "too large: PLUGIN: wrote more than 1048576 bytes");
}

TEST_F(ExecPluginTest, DoesNotWaitForWhatIsLeftRunning) {
  EXPECT_TRUE(
      Run("sleep 600 & echo $! > " + folder_.path() + "/child\n" + Answer(R"("token": "t")"))
          .has_value());
  kill(std::atoi(folder_.Read("child").c_str()), SIGKILL);
}

TEST_F(ExecPluginTest, LeavesNoZombies) {
  for (const char* script : {"exit 1", "true", "yes"}) EXPECT_FALSE(Run(script).has_value());
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST_F(ExecPluginTest, LogsWhatItComplainsOfButNoSecret) {
  access_.exec->args = {"s3cret-arg"};
  ASSERT_TRUE(Run("echo 'cache is cold' >&2\necho 'got s3cret-token!' >&2\n" +
                  Answer(R"("token": "s3cret-token")"))
                  .has_value());
  EXPECT_THAT(sink_->text(), HasSubstr("line=\"cache is cold\""));
  EXPECT_THAT(sink_->text(), HasSubstr("line=\"got ...!\""));
  EXPECT_THAT(sink_->text(), Not(HasSubstr("s3cret")));
}

}  // namespace
}  // namespace flyball::client

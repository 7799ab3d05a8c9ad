#include "flyball/client/kubeconfig.h"

#include <sys/stat.h>
#include <unistd.h>

#include "flyball/base/fake_clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/scripted/test_folder.h"

namespace flyball::client {
namespace {

std::string WhyNot(const Result<Kubeconfig>& result) {
  return result ? "it is fine" : result.error().Describe();
}

constexpr std::string_view kFull = R"(
apiVersion: v1
kind: Config
current-context: here
preferences: {colors: true}
clusters:
- name: c
  cluster:
    server: https://10.0.0.1:6443/prefix
    tls-server-name: kubernetes
    certificate-authority: pki/ca.crt
    certificate-authority-data: Q0E=
    proxy-url: socks5://proxy:1080
    disable-compression: true
    insecure-skip-tls-verify: true
    extensions:
    - name: client.authentication.k8s.io/exec
      extension: {audience: a}
    from-the-future: 1
users:
- name: u
  user:
    client-certificate: ../u.crt
    client-certificate-data: Q0VSVA==
    client-key: /abs/u.key
    client-key-data: S0VZ
    token: t
    tokenFile: token
    as: jane
    as-uid: "7"
    as-groups: [a, b]
    as-user-extra: {scopes: [v, w]}
    username: name
    password: p
    auth-provider: {name: gcp, config: {k: v}}
    exec:
      apiVersion: client.authentication.k8s.io/v1beta1
      command: ./bin/plugin
      args: [-v, login]
      env: [{name: A, value: b}]
      installHint: get it
      provideClusterInfo: true
contexts:
- name: here
  context: {cluster: c, user: u, namespace: ns}
)";

TEST(Kubeconfig, ReadsEveryField) {
  Kubeconfig expected;
  expected.current_context = "here";
  expected.current_context_file = "/etc/kube/config";
  KubeconfigCluster& cluster = expected.clusters["c"];
  cluster.place = {"/etc/kube/config", "clusters[0].cluster"};
  cluster.server = "https://10.0.0.1:6443/prefix";
  cluster.tls_server_name = "kubernetes";
  cluster.insecure_skip_tls_verify = true;
  cluster.certificate_authority = "/etc/kube/pki/ca.crt";
  cluster.certificate_authority_data = "CA";
  cluster.proxy_url = "socks5://proxy:1080";
  cluster.disable_compression = true;
  cluster.exec_extension = api::Json::Object{{"audience", "a"}};
  KubeconfigUser& user = expected.users["u"];
  user.place = {"/etc/kube/config", "users[0].user"};
  user.client_certificate = "/etc/u.crt";
  user.client_certificate_data = "CERT";
  user.client_key = "/abs/u.key";
  user.client_key_data = "KEY";
  user.token = "t";
  user.token_file = "/etc/kube/token";
  user.impersonation = {"jane", "7", {"a", "b"}, {{"scopes", {"v", "w"}}}};
  user.username = "name";
  user.password = "p";
  user.has_auth_provider = true;
  user.exec = ExecConfig{.place = {"/etc/kube/config", "users[0].user.exec"},
                         .command = "/etc/kube/bin/plugin",
                         .args = {"-v", "login"},
                         .env = {{"A", "b"}},
                         .api_version = "client.authentication.k8s.io/v1beta1",
                         .install_hint = "get it",
                         .provide_cluster_info = true,
                         .interactive_mode = "IfAvailable"};
  KubeconfigContext& context = expected.contexts["here"];
  context.place = {"/etc/kube/config", "contexts[0].context"};
  context.cluster = "c";
  context.user = "u";
  context.namespace_ = "ns";

  const auto config = Kubeconfig::Parse(kFull, "/etc/kube/config");
  ASSERT_TRUE(config.has_value()) << config.error().Describe();
  EXPECT_TRUE(*config == expected);
}

TEST(Kubeconfig, TakesAnEmptyFileForOneThatSaysNothing) {
  for (const std::string_view text : {"", "\n", "# nothing yet\n", "---\n", "{}"}) {
    EXPECT_EQ(Kubeconfig::Parse(text, "/c"), Kubeconfig()) << text;
  }
}

TEST(Kubeconfig, NamesFileAndFieldOfWhatIsWrong) {
  const std::pair<std::string, std::string> cases[] = {
      {"a: [", "malformed: /c: invalid YAML, line 1, column 1"},
      {"token: *s3cret", "malformed: /c: invalid YAML, line 1, column 8"},
      {"[]", "malformed: /c: must be a mapping"},
      {"kind: Pod", "malformed: /c: kind: must be Config"},
      {"apiVersion: v2", "malformed: /c: apiVersion: must be v1"},
      {"current-context: 5", "malformed: /c: current-context: must be a string"},
      {"users: {}", "malformed: /c: users: must be a list"},
      {"users: [{name: a}, {name: b, user: {token: 12345}}]",
       "malformed: /c: users[1].user.token: must be a string"},
      {"users: [{name: a}, {name: b, user: {client-certificate-data: s3cret!}}]",
       "malformed: /c: users[1].user.client-certificate-data: must be base64"},
      {"users: [{name: a}, {name: a}]", "malformed: /c: users[1].name: 'a' is a duplicate"},
      {"users: [{name: a, user: {exec: {env: [{name: A, value: 1}]}}}]",
       "malformed: /c: users[0].user.exec.env[0].value: must be a string"},
      {"users: [{name: a, user: {as-user-extra: {k: v}}}]",
       "malformed: /c: users[0].user.as-user-extra.k: must be a list"},
      {"clusters: [{name: a, cluster: {insecure-skip-tls-verify: 'true'}}]",
       "malformed: /c: clusters[0].cluster.insecure-skip-tls-verify: must be true or false"},
      {"contexts: [5]", "malformed: /c: contexts[0]: must be a mapping"},
  };
  for (const auto& [text, why] : cases) EXPECT_EQ(WhyNot(Kubeconfig::Parse(text, "/c")), why);
}

class KubeconfigFiles : public testing::Test {
 protected:
  scripted::TestFolder folder_;
  FakeClock clock_;
  std::shared_ptr<StringLogSink> sink_ = std::make_shared<StringLogSink>();
  Logger log_{{.verbosity = 10}, clock_, sink_};
};

TEST_F(KubeconfigFiles, MergesThemSuchThatTheFirstToSayANameCounts) {
  const std::string first = folder_.Write("one/config", R"(
clusters: [{name: both, cluster: {server: https://one}}]
users: [{name: u, user: {tokenFile: token}}]
)");
  const std::string second = folder_.Write("two/config", R"(
current-context: second
clusters:
- {name: both, cluster: {server: https://two, tls-server-name: two}}
- {name: only, cluster: {server: https://two, certificate-authority: ca}}
)");
  const std::string third = folder_.Write("three", "current-context: third\n");

  const auto config =
      Kubeconfig::LoadMerged({"", first, folder_.path() + "/gone", second, third}, log_);
  ASSERT_TRUE(config.has_value()) << config.error().Describe();
  EXPECT_EQ(config->current_context, "second");
  EXPECT_EQ(config->clusters.size(), 2U);
  EXPECT_EQ(config->clusters.find("both")->server, "https://one");
  EXPECT_EQ(config->clusters.find("both")->tls_server_name, "");
  EXPECT_EQ(config->clusters.find("only")->certificate_authority, folder_.path() + "/two/ca");
  EXPECT_EQ(config->users.find("u")->token_file, folder_.path() + "/one/token");
}

TEST_F(KubeconfigFiles, OfAListMayBeMissingButNotBroken) {
  const std::string gone = folder_.path() + "/gone";
  EXPECT_EQ(Kubeconfig::LoadMerged({gone}, log_), Kubeconfig());
  EXPECT_THAT(sink_->text(), testing::HasSubstr("\"Config not found\" files="));
  EXPECT_EQ(WhyNot(Kubeconfig::Load(gone)), "not found: " + gone + ": No such file or directory");
  EXPECT_EQ(WhyNot(Kubeconfig::LoadMerged({folder_.path()}, log_)),
            "i/o: " + folder_.path() + ": Is a directory");
  const std::string broken = folder_.Write("broken", "users: 5");
  EXPECT_EQ(WhyNot(Kubeconfig::LoadMerged({gone, broken}, log_)),
            "malformed: " + broken + ": users: must be a list");
}

TEST_F(KubeconfigFiles, ThatCannotBeReadAreAnError) {
  const std::string file = folder_.Write("config", "");
  chmod(file.c_str(), 0);
  if (access(file.c_str(), R_OK) == 0) GTEST_SKIP() << "root may read everything";
  EXPECT_EQ(WhyNot(Kubeconfig::Load(file)), "i/o: " + file + ": Permission denied");
}

TEST(DefaultKubeconfigFiles, AreThoseOfTheVariableOrTheOneAtHome) {
  Environment environment;
  environment.variable = [](const std::string& name) {
    return name == "KUBECONFIG" ? "/a:/b::/a" : "";
  };
  EXPECT_THAT(DefaultKubeconfigFiles(environment), testing::ElementsAre("/a", "/b", ""));
  environment.variable = [](const std::string& name) { return name == "HOME" ? "/h" : ""; };
  EXPECT_THAT(DefaultKubeconfigFiles(environment), testing::ElementsAre("/h/.kube/config"));
}

}  // namespace
}  // namespace flyball::client

#include "flyball/client/access_config.h"

#include "flyball/base/fake_clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/scripted/certificates.h"
#include "tests/scripted/test_folder.h"

namespace flyball::client {
namespace {

class AccessConfigTest : public testing::Test {
 protected:
  /// What becomes of a kubeconfig with these in its one cluster and user.
  Result<std::optional<AccessConfig>> Resolve(const std::string& cluster, const std::string& user,
                                              const AccessOverrides& overrides = {}) {
    const auto config = Kubeconfig::Parse("current-context: x\nclusters: [{name: c, cluster: {" +
                                              cluster + "}}]\nusers: [{name: u, user: {" + user +
                                              "}}]\ncontexts: [{name: x, context: {cluster: c, "
                                              "user: u}}]\n",
                                          folder_.path() + "/config");
    if (!config) return std::unexpected(config.error());
    return ResolveAccess(*config, overrides, log_);
  }
  std::string WhyNot(const std::string& cluster, const std::string& user) {
    const auto access = Resolve(cluster, user);
    return access ? "it is fine" : access.error().Describe();
  }
  Environment InPod() const {
    Environment environment;
    environment.service_account = folder_.path();
    environment.variable = [](const std::string& name) -> std::string {
      if (name == "KUBERNETES_SERVICE_HOST") return "fd00::1";
      if (name == "KUBERNETES_SERVICE_PORT") return "443";
      return "";
    };
    return environment;
  }
  static Environment Nowhere() {
    Environment environment;
    environment.variable = [](const std::string&) { return ""; };
    return environment;
  }

  scripted::TestFolder folder_;
  const std::string config_ = folder_.path() + "/config";
  FakeClock clock_;
  std::shared_ptr<StringLogSink> sink_ = std::make_shared<StringLogSink>();
  Logger log_{{.verbosity = 10}, clock_, sink_};
};

TEST_F(AccessConfigTest, BringsClusterAndUserTogether) {
  const auto access = Resolve(
      "server: 'https://[fd00::1]:6443/p/?x', tls-server-name: name, certificate-authority-data: "
      "Q0E=,"
      "proxy-url: 'http://u:p@proxy', disable-compression: true",
      "token: t, as: jane, client-certificate-data: Q0VSVA==, client-key-data: S0VZ");
  ASSERT_TRUE(access.has_value()) << access.error().Describe();
  AccessConfig expected;
  expected.server = {"https", "", "", "fd00::1", 6443, "/p"};
  expected.server_text = "https://[fd00::1]:6443/p/?x";
  expected.proxy = transport::Url{"http", "u", "p", "proxy", 80, ""};
  expected.proxy_text = "http://u:p@proxy";
  expected.tls_server_name = "name";
  expected.disable_compression = true;
  const std::string cluster = config_ + ": clusters[0].cluster.";
  const std::string user = config_ + ": users[0].user.";
  expected.certificate_authority = {"CA", "", cluster + "certificate-authority-data"};
  expected.client_certificate = {"CERT", "", user + "client-certificate-data"};
  expected.client_key = {"KEY", "", user + "client-key-data"};
  expected.token = {"t", "", user + "token"};
  expected.impersonation.user = "jane";
  EXPECT_TRUE(*access == expected);
}

TEST_F(AccessConfigTest, GivesNoSecretsToAServerWithoutTls) {
  const auto access = Resolve("server: '10.0.0.1:8080'", "token: t, as: jane");
  ASSERT_TRUE(access.has_value() && access->has_value());
  EXPECT_EQ((*access)->server.scheme, "http");
  EXPECT_TRUE((*access)->token.empty());
  EXPECT_EQ((*access)->impersonation.user, "jane");
}

TEST_F(AccessConfigTest, NamesFileAndFieldOfWhatMakesNoSense) {
  const std::string https = "server: https://h";
  const std::string user = config_ + ": users[0].user";
  const std::string cluster = config_ + ": clusters[0].cluster";
  const std::string gone = folder_.path() + "/gone";
  EXPECT_EQ(WhyNot("", ""), "invalid: " + cluster + ".server: must be set");
  EXPECT_EQ(WhyNot("server: 'https://h:x'", ""),
            "malformed: " + cluster + ".server: invalid URL: invalid port after ':'");
  EXPECT_EQ(
      WhyNot("server: 'h:1/path'", ""),
      "malformed: " + cluster + ".server: must begin with http:// or https:// if it has a path");
  EXPECT_EQ(WhyNot("server: 'socks5://h'", ""),
            "unsupported: " + cluster + ".server: must begin with http:// or https://");
  EXPECT_EQ(WhyNot(https + ", proxy-url: 'ftp://u:s3cret@h'", ""),
            "unsupported: " + cluster + ".proxy-url: invalid URL: scheme 'ftp' is not supported");
  EXPECT_EQ(
      WhyNot(https + ", certificate-authority: gone", ""),
      "not found: " + cluster + ".certificate-authority: " + gone + ": No such file or directory");
  EXPECT_EQ(WhyNot(https + ", certificate-authority: a, certificate-authority-data: Q0E=", ""),
            "invalid: " + cluster +
                ".certificate-authority: cannot be set together with certificate-authority-data");
  EXPECT_EQ(
      WhyNot(https + ", insecure-skip-tls-verify: true, certificate-authority-data: Q0E=", ""),
      "invalid: " + cluster +
          ".insecure-skip-tls-verify: cannot be set together with certificate-authority");
  EXPECT_EQ(WhyNot(https, "token: t, password: p"),
            "invalid: " + user + ".token: cannot be set together with username and password");
  EXPECT_EQ(WhyNot(https, "token: \"a\\nb\""),
            "invalid: " + user + ".token: contains control characters");
  EXPECT_EQ(WhyNot(https, "tokenFile: gone"),
            "not found: " + user + ".tokenFile: " + gone + ": No such file or directory");
  EXPECT_EQ(WhyNot(https, "client-certificate-data: Q0VSVA=="),
            "invalid: " + user + ".client-key: must be set if there is a client certificate");
  EXPECT_EQ(WhyNot(https, "client-certificate: gone, client-key: gone"),
            "not found: " + user + ".client-certificate: " + gone + ": No such file or directory");
  EXPECT_EQ(
      WhyNot(https, "auth-provider: {name: gcp}"),
      "unsupported: " + user +
          ".auth-provider: was removed from Kubernetes; use exec with a credential plugin instead");
  EXPECT_EQ(WhyNot(https, "as-groups: [a]"),
            "invalid: " + user + ".as: must be set if as-uid, as-groups or as-user-extra is set");
  EXPECT_EQ(WhyNot(https, "exec: {apiVersion: client.authentication.k8s.io/v1, command: c}"),
            "invalid: " + user + ".exec.interactiveMode: must be set");
  EXPECT_EQ(WhyNot(https, "exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: c}"),
            "unsupported: " + user +
                ".exec.apiVersion: must be client.authentication.k8s.io/v1 or v1beta1");
}

TEST_F(AccessConfigTest, NamesTheContextThatRefersToNothing) {
  const auto why = [&](const std::string& text, const AccessOverrides& overrides) {
    const auto access = ResolveAccess(*Kubeconfig::Parse(text, "/c"), overrides, log_);
    return access ? "it is fine" : access.error().Describe();
  };
  EXPECT_EQ(why("current-context: a", {}),
            "not found: /c: current-context: context \"a\" does not exist");
  EXPECT_EQ(why("", {.context = "a"}), "not found: --context: context \"a\" does not exist");
  const std::string dangling =
      "contexts: [{name: a, context: {cluster: c}}, "
      "{name: b, context: {user: u}}]";
  EXPECT_EQ(
      why(dangling, {.context = "a"}),
      "not found: /c: contexts[0].context.cluster: cluster \"c\" was not found for context \"a\"");
  EXPECT_EQ(why(dangling, {.context = "b"}),
            "not found: /c: contexts[1].context.user: user \"u\" was not found for context \"b\"");
  EXPECT_EQ(why(dangling, {.context = "a", .server = "https://h"}), "it is fine");
}

TEST_F(AccessConfigTest, LetsMasterReplaceTheServerAndForgetsTheNameOfTheOther) {
  const auto access = Resolve("server: 'https://old', tls-server-name: old", "token: t",
                              {.context = "", .server = "https://new:8443"});
  ASSERT_TRUE(access.has_value() && access->has_value());
  EXPECT_EQ((*access)->server.Authority(), "new:8443");
  EXPECT_EQ((*access)->tls_server_name, "");
  EXPECT_EQ((*access)->token.data, "t");
}

TEST_F(AccessConfigTest, IgnoresUsernameAndPasswordWithAWarningThatHasNeither) {
  const auto access = Resolve("server: 'https://h'", "username: jane, password: s3cret");
  ASSERT_TRUE(access.has_value());
  EXPECT_THAT(sink_->text(), testing::HasSubstr("Ignored username and password"));
  EXPECT_THAT(sink_->text(), testing::Not(testing::HasSubstr("s3cret")));
}

TEST_F(AccessConfigTest, LeavesThePluginAloneWhereThereIsATokenAlready) {
  const std::string exec = "exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: c}";
  EXPECT_TRUE((**Resolve("server: 'https://h'", exec)).exec.has_value());
  EXPECT_FALSE((**Resolve("server: 'https://h'", "token: t, " + exec)).exec.has_value());
}

TEST_F(AccessConfigTest, UsesTheServiceAccountOfAPodWhereNoFlagSaysOtherwise) {
  const scripted::Authority authority;
  folder_.Write("token", "t\n");
  folder_.Write("ca.crt", authority.certificate());
  folder_.Write("namespace", "kube-system\n");
  const auto access = ComponentAccess("", "", InPod(), log_);
  ASSERT_TRUE(access.has_value()) << access.error().Describe();
  AccessConfig expected;
  expected.server = {"https", "", "", "fd00::1", 443, ""};
  expected.server_text = "https://[fd00::1]:443";
  expected.namespace_ = "kube-system";
  expected.token = {"", folder_.path() + "/token", "the service account's token"};
  expected.certificate_authority = {"", folder_.path() + "/ca.crt",
                                    "the service account's certificate authority"};
  EXPECT_TRUE(*access == expected);

  const auto master = ComponentAccess("", "http://localhost:8080", InPod(), log_);
  ASSERT_TRUE(master.has_value());
  EXPECT_EQ(master->server.Authority(), "localhost:8080");
  EXPECT_TRUE(master->token.empty());
  const auto empty = ComponentAccess(folder_.Write("config", ""), "", InPod(), log_);
  EXPECT_EQ(empty, expected);
}

TEST_F(AccessConfigTest, TakesTheProxyFromTheEnvironmentIfItHasNone) {
  folder_.Write("token", "t");
  Environment environment = InPod();
  environment.variable = [pod = environment.variable](const std::string& name) {
    return name == "HTTPS_PROXY" ? "http://u:s3cret@:" : pod(name);
  };
  EXPECT_EQ(InClusterAccess(environment, log_).error().Describe(),
            "malformed: HTTPS_PROXY: invalid URL: missing host");
  environment.variable = [pod = environment.variable](const std::string& name) {
    return name == "HTTPS_PROXY" ? "http://environment" : pod(name);
  };
  const auto in_pod = InClusterAccess(environment, log_);
  ASSERT_TRUE(in_pod.has_value()) << in_pod.error().Describe();
  EXPECT_EQ(in_pod->proxy->Authority(), "environment:80");
  EXPECT_EQ(in_pod->proxy_text, "");

  const auto from_file = [&](const std::string& cluster) {
    const std::string file = folder_.Write(
        "with-proxy", "{clusters: [{name: k, cluster: {server: 'https://h'" + cluster +
                          "}}], contexts: [{name: c, context: {cluster: k}}], current-context: c}");
    return ToolAccess(file, {}, environment, log_)->proxy->Authority();
  };
  EXPECT_EQ(from_file(""), "environment:80");
  EXPECT_EQ(from_file(", proxy-url: 'http://configured'"), "configured:80");
}

TEST_F(AccessConfigTest, TriesTheSystemsAuthoritiesWhereThePodHasNone) {
  folder_.Write("token", "t");
  folder_.Write("ca.crt", "nonsense");
  const auto access = InClusterAccess(InPod(), log_);
  ASSERT_TRUE(access.has_value());
  EXPECT_TRUE(access->certificate_authority.empty());
  EXPECT_THAT(sink_->text(), testing::HasSubstr("Expected to load root CA config"));
}

TEST_F(AccessConfigTest, SaysThatThereIsNothingToGoBy) {
  EXPECT_EQ(ComponentAccess("", "", Nowhere(), log_).error().Describe(),
            "not found: no configuration has been provided: give a kubeconfig or the API server's "
            "address, or run in a pod: unable to load in-cluster configuration, "
            "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined");
  EXPECT_EQ(InClusterAccess(InPod(), log_).error().Describe(),
            "not found: " + folder_.path() + "/token: No such file or directory");
  const std::string gone = folder_.path() + "/gone";
  EXPECT_EQ(ComponentAccess(gone, "", Nowhere(), log_).error().Describe(),
            "not found: " + gone + ": No such file or directory");
  EXPECT_EQ(ToolAccess("", {}, Nowhere(), log_).error().code(), ErrorCode::kNotFound);
}

}  // namespace
}  // namespace flyball::client

#include "flyball/client/credential_metrics.h"

#include <filesystem>
#include <string>
#include <vector>

#include "flyball/api/json.h"
#include "flyball/base/fake_clock.h"
#include "flyball/client/credentials.h"
#include "flyball/client/internal/client_certificate.h"
#include "gtest/gtest.h"
#include "tests/scripted/certificates.h"
#include "tests/scripted/test_folder.h"

namespace flyball::client {
namespace {

using namespace std::chrono_literals;

constexpr char kVersion[] = "client.authentication.k8s.io/v1";

std::string CallsText(const std::string& series) {
  return "# HELP rest_client_exec_plugin_call_total [ALPHA] Number of runs of an exec credential "
         "plugin, by exit code and call status: no_error, plugin_execution_error, "
         "plugin_not_found_error or client_internal_error. The exit code is 0 only without an "
         "error.\n"
         "# TYPE rest_client_exec_plugin_call_total counter\n" +
         series;
}

/// `counts` has one number for each bucket.
std::string RotationText(const std::vector<int>& counts, const std::string& sum) {
  const std::string name = "rest_client_exec_plugin_certificate_rotation_age";
  const std::vector<std::string> bounds = {"600",        "1800",       "3600",        "14400",
                                           "86400",      "604800",     "2.592e+06",   "7.776e+06",
                                           "1.5552e+07", "3.1104e+07", "1.24416e+08", "+Inf"};
  std::string text = "# HELP " + name +
                     " [ALPHA] Age in seconds of a client certificate from an exec credential "
                     "plugin when it was rotated.\n"
                     "# TYPE " +
                     name + " histogram\n";
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    text += name + "_bucket{le=\"" + bounds[i] + "\"} " + std::to_string(counts.at(i)) + "\n";
  }
  text += name + "_sum " + sum + "\n";
  return text + name + "_count " + std::to_string(counts.back()) + "\n";
}

std::string TtlText(const std::string& value) {
  return "# HELP rest_client_exec_plugin_ttl_seconds [ALPHA] Time in seconds until the first "
         "client certificate from an exec credential plugin expires, negative once it has expired; "
         "+Inf if there is no such certificate.\n"
         "# TYPE rest_client_exec_plugin_ttl_seconds gauge\n"
         "rest_client_exec_plugin_ttl_seconds " +
         value + "\n";
}

std::string ReloadsText(const std::string& series) {
  return "# HELP rest_client_transport_ca_reload_total [ALPHA] Number of reloads of a certificate "
         "authority file, by result and reason.\n"
         "# TYPE rest_client_transport_ca_reload_total counter\n" +
         series;
}

const std::vector<int> kNone(12, 0);

class CredentialMetricsTest : public testing::Test {
 protected:
  /// Of a plugin that prints the file "answer".
  AccessConfig WithPlugin(const std::string& more = "") {
    AccessConfig access;
    access.exec = ExecConfig{
        .place = {"/c", "users[0].user.exec"},
        .command = folder_.WriteScript("plugin", more + "cat " + folder_.path() + "/answer\n"),
        .args = {},
        .env = {},
        .api_version = kVersion,
        .install_hint = "",
        .provide_cluster_info = false,
        .interactive_mode = "Never"};
    return access;
  }
  void Answer(api::Json::Object status) {
    api::Json::Object answer;
    answer["apiVersion"] = kVersion;
    answer["kind"] = "ExecCredential";
    answer["status"] = std::move(status);
    folder_.Write("answer", api::Json(std::move(answer)).ToString());
  }
  void Answer(const scripted::Identity& identity) {
    api::Json::Object status;
    status["clientCertificateData"] = identity.certificate;
    status["clientKeyData"] = identity.key;
    Answer(std::move(status));
  }
  std::unique_ptr<Credentials> Make(const AccessConfig& access) {
    auto made = Credentials::Create(access, {.clock = clock_, .metrics = metrics_});
    EXPECT_TRUE(made.has_value()) << made.error().Describe();
    return *std::move(made);
  }
  /// Whether there are credentials.
  static bool Use(Credentials& credentials) {
    transport::Headers headers;
    return credentials.AddTo(headers).has_value();
  }

  scripted::TestFolder folder_;
  scripted::Authority authority_;
  const scripted::Identity one_ = authority_.Issue("one");
  const scripted::Identity two_ = authority_.Issue("two", "", {}, 7200);
  const CertificateLife life_ = *ReadCertificateLife(one_.certificate);
  FakeClock clock_{life_.start + 1000s};
  MetricRegistry registry_;
  CredentialMetrics metrics_{registry_, clock_};
};

TEST_F(CredentialMetricsTest, SayThatThereIsNoCertificate) {
  EXPECT_EQ(registry_.Text(), RotationText(kNone, "0") + TtlText("+Inf"));
}

TEST_F(CredentialMetricsTest, FollowThePluginsCertificate) {
  Answer(one_);
  auto credentials = Make(WithPlugin());
  EXPECT_TRUE(Use(*credentials));
  const auto left = std::chrono::duration_cast<std::chrono::seconds>(life_.end - clock_.WallNow());
  const std::string once =
      "rest_client_exec_plugin_call_total{call_status=\"no_error\",code=\"0\"} 1\n";
  EXPECT_EQ(registry_.Text(),
            CallsText(once) + RotationText(kNone, "0") + TtlText(std::to_string(left.count())));
  clock_.Advance(left + 5s);
  EXPECT_EQ(registry_.Text(), CallsText(once) + RotationText(kNone, "0") + TtlText("-5"));

  Answer(two_);
  const auto two_left = ReadCertificateLife(two_.certificate)->end - clock_.WallNow();
  const auto age = clock_.WallNow() - life_.start;
  EXPECT_TRUE(credentials->Rejected(1));
  const auto seconds = [](std::chrono::nanoseconds time) {
    return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(time).count());
  };
  const std::string twice =
      "rest_client_exec_plugin_call_total{call_status=\"no_error\",code=\"0\"} 2\n";
  EXPECT_EQ(registry_.Text(), CallsText(twice) +
                                  RotationText({0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1}, seconds(age)) +
                                  TtlText(seconds(two_left)));

  credentials.reset();
  EXPECT_TRUE(registry_.Text().ends_with(TtlText("+Inf")));
}

TEST_F(CredentialMetricsTest, CountRunsOfThePluginByHowTheyEnd) {
  api::Json::Object token;
  token["token"] = "t";
  Answer(std::move(token));
  EXPECT_TRUE(Use(*Make(WithPlugin())));
  EXPECT_FALSE(Use(*Make(WithPlugin("exit 7\n"))));
  AccessConfig missing = WithPlugin();
  missing.exec->command = folder_.path() + "/missing";
  EXPECT_FALSE(Use(*Make(missing)));
  missing.exec->command = folder_.Write("no_program", "");
  EXPECT_FALSE(Use(*Make(missing)));
  // The run is fine, whatever comes of it.
  folder_.Write("answer", "nonsense");
  EXPECT_FALSE(Use(*Make(WithPlugin())));
  EXPECT_EQ(registry_.Text(),
            CallsText("rest_client_exec_plugin_call_total{call_status=\"no_error\",code=\"0\"} 2\n"
                      "rest_client_exec_plugin_call_total"
                      "{call_status=\"plugin_execution_error\",code=\"7\"} 1\n"
                      "rest_client_exec_plugin_call_total"
                      "{call_status=\"plugin_not_found_error\",code=\"1\"} 2\n") +
                RotationText(kNone, "0") + TtlText("+Inf"));
}

TEST_F(CredentialMetricsTest, CountHowOftenTheAuthorityIsReadAgain) {
  AccessConfig access;
  access.certificate_authority = {"", folder_.Write("ca", authority_.certificate()), "ca"};
  const auto credentials = Make(access);
  const auto refresh = [&] {
    clock_.Advance(10s);
    EXPECT_TRUE(Use(*credentials));
  };
  refresh();
  folder_.Write("ca", scripted::Authority().certificate());
  refresh();
  for (const char* text : {"", "nonsense"}) {
    folder_.Write("ca", text);
    refresh();
  }
  std::filesystem::remove(folder_.path() + "/ca");
  refresh();
  const std::string name = "rest_client_transport_ca_reload_total";
  EXPECT_EQ(registry_.Text(),
            RotationText(kNone, "0") + TtlText("+Inf") +
                ReloadsText(name + "{reason=\"ca_parse_error\",result=\"failure\"} 1\n" + name +
                            "{reason=\"empty\",result=\"failure\"} 1\n" + name +
                            "{reason=\"read_error\",result=\"failure\"} 1\n" + name +
                            "{reason=\"unchanged\",result=\"success\"} 1\n" + name +
                            "{reason=\"updated\",result=\"success\"} 1\n"));
}

TEST_F(CredentialMetricsTest, AnAuthorityInTheConfigurationIsNotRead) {
  AccessConfig access;
  access.certificate_authority = {authority_.certificate(), "", "ca"};
  const auto credentials = Make(access);
  clock_.Advance(10s);
  EXPECT_TRUE(Use(*credentials));
  EXPECT_EQ(registry_.Text(), RotationText(kNone, "0") + TtlText("+Inf"));
}

}  // namespace
}  // namespace flyball::client

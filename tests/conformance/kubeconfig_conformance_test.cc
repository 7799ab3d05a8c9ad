// Every case that kubeconfig/main.go wrote, answered by our code. The format stands there.
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "flyball/base/clock.h"
#include "flyball/client/access_config.h"
#include "flyball/client/credentials.h"
#include "gtest/gtest.h"
#include "tests/conformance/cases.h"
#include "tests/scripted/test_folder.h"

namespace flyball::client {
namespace {

using conformance::Fields;

void ReplaceAll(std::string& text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

std::string Join(const std::vector<std::string>& texts) {
  std::string joined;
  for (const std::string& text : texts) joined += (&text == &texts.front() ? "" : ",") + text;
  return joined;
}

/// The port, unless the URL did without: upstream keeps none then.
std::string PortOf(const transport::Url& url, const std::string& upstream) {
  const bool usual = url.port == (url.scheme == "https" ? 443 : url.scheme == "http" ? 80 : 1080);
  return usual && upstream.empty() ? "" : std::to_string(url.port);
}

class KubeconfigConformance : public conformance::CasesTest {
 protected:
  /// Everything a client takes from a configuration, in the order of the case's fields.
  static std::vector<std::string> Describe(const AccessConfig& access, Credentials& credentials,
                                           const std::string& upstream_port,
                                           const std::string& upstream_proxy) {
    const transport::TlsOptions tls = credentials.Tls();
    std::string token;
    if (!access.exec) {
      transport::Headers headers;
      EXPECT_TRUE(credentials.AddTo(headers).has_value());
      token = transport::FindHeader(headers, "authorization");
      if (token.starts_with("Bearer ")) token.erase(0, 7);
    }
    std::string proxy;
    if (const auto& url = access.proxy) {
      proxy = url->scheme + "|" + url->user + "|" + url->password + "|" + url->host + "|" +
              PortOf(*url, upstream_proxy.substr(upstream_proxy.rfind('|') + 1));
    }
    const Impersonation& as = access.impersonation;
    std::string extra;
    for (const auto& [key, values] : as.extra) {
      extra += (extra.empty() ? "" : ";") + key + "=" + Join(values);
    }
    std::vector<std::string> fields = {access.server.scheme,
                                       access.server.host,
                                       PortOf(access.server, upstream_port),
                                       access.server.path,
                                       tls.server_name,
                                       tls.skip_server_check ? "1" : "0",
                                       tls.roots,
                                       tls.certificate,
                                       tls.key,
                                       token,
                                       access.token.file,
                                       access.namespace_,
                                       access.disable_compression ? "1" : "0",
                                       proxy,
                                       as.user,
                                       as.uid,
                                       Join(as.groups),
                                       extra};
    fields.emplace_back(access.exec ? "1" : "0");
    if (!access.exec) return fields;
    std::vector<std::string> env;
    for (const auto& [name, value] : access.exec->env) env.push_back(name + "=" + value);
    for (const std::string& field :
         {access.exec->command, Join(access.exec->args), Join(env), access.exec->api_version,
          access.exec->interactive_mode, std::string(access.exec->provide_cluster_info ? "1" : "0"),
          access.exec->install_hint}) {
      fields.push_back(field);
    }
    return fields;
  }

  /// A case's answer, with flags as they stand and texts resolved.
  static std::vector<std::string> ReadAnswer(Fields& fields) {
    std::vector<std::string> answer;
    const auto read = [&](std::string_view kinds) {
      for (const char kind : kinds) {
        answer.push_back(kind == 'f' ? std::string(fields.Raw()) : fields.Text());
      }
    };
    read("tttttftttttt");
    read("ftttttf");
    if (answer.back() == "1") read("tttttft");
    return answer;
  }

  RealClock clock_;
};

TEST_F(KubeconfigConformance, MakesOfEveryConfigurationWhatUpstreamMakes) {
  const scripted::TestFolder folder;
  ForEach("F", [&](std::size_t, Fields& fields) {
    const std::string name = fields.Text();
    folder.Write(name, fields.Text());
  });
  int taken = 0;
  int stricter = 0;
  const int count = ForEach("K", [&](std::size_t, Fields& fields) {
    std::string all;
    for (auto files = fields.Number<int>(); files > 0; --files) {
      const std::string name = fields.Text();
      std::string text = fields.Text();
      all += text;
      ReplaceAll(text, "@/", folder.path() + "/");
      folder.Write(name, text);
    }
    std::string list = ":" + fields.Text();
    ReplaceAll(list, ":", ":" + folder.path() + "/");
    std::string explicit_file = fields.Text();
    if (!explicit_file.empty()) explicit_file = folder.path() + "/" + explicit_file;
    AccessOverrides overrides;
    overrides.context = fields.Text();
    overrides.server = fields.Text();
    const bool upstream = fields.Flag();
    const bool ours = fields.Flag();

    Environment environment;
    environment.variable = [&](const std::string& name) {
      return name == "KUBECONFIG" ? list.substr(1) : "";
    };
    const auto access = ToolAccess(explicit_file, overrides, environment, Logger());
    std::optional<Error> error;
    std::unique_ptr<Credentials> credentials;
    if (access) {
      auto created = Credentials::Create(*access, {.clock = clock_});
      if (!created) error = created.error();
      if (created) credentials = *std::move(created);
    } else {
      error = access.error();
    }
    ASSERT_EQ(credentials != nullptr, ours) << (error ? error->Describe() : "") << "\n" << all;
    stricter += upstream != ours ? 1 : 0;
    if (!ours) return;
    ++taken;
    const std::vector<std::string> expected = ReadAnswer(fields);
    std::vector<std::string> got = Describe(*access, *credentials, expected[2], expected[13]);
    for (std::string& field : got) ReplaceAll(field, folder.path(), "@");
    EXPECT_EQ(got, expected) << all;
  });
  EXPECT_GE(count, 1000);
  EXPECT_GE(taken, 400);
  RecordProperty("taken", taken);
  RecordProperty("stricter", stricter);
  std::cout << count << " configurations, " << taken << " taken, " << stricter
            << " that only we refuse\n";
}

}  // namespace
}  // namespace flyball::client

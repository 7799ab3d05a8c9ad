#include "tests/cluster/control_plane.h"

#include <openssl/rand.h>

#include "flyball/api/base64.h"
#include "flyball/api/core/v1.h"
#include "flyball/api/json_decode.h"
#include "flyball/base/check.h"
#include "flyball/transport/fetch.h"
#include "tests/cluster/written_file.h"

namespace flyball::cluster {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

std::string NewToken() {
  unsigned char bytes[16];
  FLYBALL_CHECK(RAND_bytes(bytes, sizeof(bytes)) == 1, "there are random numbers");
  constexpr char kDigits[] = "0123456789abcdef";
  std::string token;
  for (const unsigned char byte : bytes) {
    token += kDigits[byte >> 4];
    token += kDigits[byte & 0xf];
  }
  return token;
}

std::map<std::string, std::string> NewTokens(const std::vector<std::string>& users) {
  std::map<std::string, std::string> tokens;
  for (const std::string& user : users) tokens[user] = NewToken();
  return tokens;
}

}  // namespace

ControlPlane::ControlPlane(Clock& clock, transport::Network& network,
                           const std::vector<std::string>& users, ScratchFolder folder,
                           ReservedPort port)
    : clock_(clock),
      network_(network),
      folder_(std::move(folder)),
      port_(std::move(port)),
      admin_token_(NewToken()),
      tokens_(NewTokens(users)),
      transport_(network, TransportOptions()) {}

/// Its data is thrown away, so nobody is asked to end in peace.
ControlPlane::~ControlPlane() = default;

std::string ControlPlane::url() const { return "https://" + address(); }

std::string ControlPlane::address() const { return "127.0.0.1:" + std::to_string(port_.number()); }

transport::HttpTransport::Options ControlPlane::TransportOptions(const Identity& identity) const {
  transport::HttpTransport::Options options;
  options.server = *transport::Url::Parse(url());
  options.tls = [tls = transport::TlsOptions{.roots = authority(),
                                             .certificate = identity.certificate,
                                             .key = identity.key}] { return tls; };
  return options;
}

Identity ControlPlane::IssueClientCertificate(const std::string& user,
                                              const std::vector<std::string>& groups,
                                              std::chrono::seconds valid_for) const {
  return authority_.Issue(user, "", groups, valid_for.count());
}

Result<fs::path> ControlPlane::WriteKubeconfig(const std::string& name,
                                               const Credentials& credentials,
                                               const scripted::Proxy* through) const {
  std::string text =
      "apiVersion: v1\n"
      "kind: Config\n"
      "current-context: test\n"
      "contexts: [{name: test, context: {cluster: test, user: test}}]\n"
      "clusters:\n"
      "- name: test\n"
      "  cluster:\n";
  text += "    server: https://" + (through == nullptr ? address() : through->address()) + "\n";
  text += "    certificate-authority-data: " + api::EncodeBase64(authority()) + "\n";
  text +=
      "users:\n"
      "- name: test\n"
      "  user:\n";
  if (!credentials.token.empty()) text += "    token: " + credentials.token + "\n";
  if (const Identity& own = credentials.certificate; !own.certificate.empty()) {
    text += "    client-certificate-data: " + api::EncodeBase64(own.certificate) + "\n";
    text += "    client-key-data: " + api::EncodeBase64(own.key) + "\n";
  }
  fs::path path = folder_.path() / (name + ".kubeconfig");
  FLYBALL_TRY(WriteFile(path, text));
  return path;
}

Result<std::string> ControlPlane::NewNamespace() {
  FLYBALL_TRY(const auto response,
              transport::Fetch(transport_, clock_,
                               {.method = "POST",
                                .target = "/api/v1/namespaces",
                                .headers = {{"authorization", "Bearer " + admin_token_},
                                            {"content-type", "application/json"}},
                                .body = R"({"metadata":{"generateName":"test-"}})",
                                .timeout = 30s}));
  if (response.status != 201) {
    return Fail(ErrorCode::kUnavailable, "a namespace was not created: " + response.body);
  }
  FLYBALL_TRY(auto created, api::DecodeJson<core::v1::Namespace>(response.body));
  return std::move(created.metadata.name);
}

}  // namespace flyball::cluster

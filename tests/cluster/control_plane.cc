#include "tests/cluster/control_plane.h"

#include <openssl/rand.h>

#include <deque>
#include <fstream>
#include <ostream>
#include <system_error>

#include "flyball/api/base64.h"
#include "flyball/api/core/v1.h"
#include "flyball/api/json.h"
#include "flyball/api/json_decode.h"
#include "flyball/base/check.h"
#include "flyball/transport/fetch.h"

namespace flyball::cluster {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr std::string_view kAuditPolicy = R"(apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules: [{level: Metadata}]
)";

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

Result<> WriteFile(const fs::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) return Fail(ErrorCode::kIo, path.string() + ": cannot be written");
  return {};
}

std::string Loopback(std::string_view scheme, const ReservedPort& port) {
  return std::string(scheme) + "://127.0.0.1:" + std::to_string(port.number());
}

void PrintLastLines(const fs::path& path, std::ostream& out) {
  constexpr std::size_t kLines = 30;
  std::ifstream file(path);
  std::deque<std::string> last;
  for (std::string line; std::getline(file, line);) {
    last.push_back(std::move(line));
    if (last.size() > kLines) last.pop_front();
  }
  out << "==> the end of " << path.string() << "\n";
  for (const std::string& line : last) out << line << "\n";
}

}  // namespace

std::optional<Programs> Programs::Find(const fs::path& list) {
  std::ifstream lines(list);
  Programs programs;
  for (std::string name, file; std::getline(lines, name, '\t') && std::getline(lines, file);) {
    if (name == "etcd") programs.etcd = file;
    if (name == "kube-apiserver") programs.api_server = file;
  }
  if (programs.etcd.empty() || programs.api_server.empty()) return std::nullopt;
  return programs;
}

Result<std::unique_ptr<ControlPlane>> ControlPlane::Start(Clock& clock, transport::Network& network,
                                                          Options options) {
  std::error_code failed;
  fs::create_directories(options.logs, failed);
  if (failed) return Fail(ErrorCode::kIo, options.logs.string() + ": " + failed.message());
  for (const char* const old : {"etcd.log", "kube-apiserver.log", "audit.log"}) {
    fs::remove(options.logs / old, failed);
  }
  FLYBALL_TRY(auto folder, ScratchFolder::Make());
  FLYBALL_TRY(auto etcd_port, ReservedPort::Take());
  FLYBALL_TRY(auto api_server_port, ReservedPort::Take());
  std::unique_ptr<ControlPlane> plane(new ControlPlane(clock, network, std::move(options),
                                                       std::move(folder), std::move(etcd_port),
                                                       std::move(api_server_port)));
  FLYBALL_TRY(plane->WriteFiles());
  FLYBALL_TRY(plane->StartEtcd());
  FLYBALL_TRY(plane->StartApiServer());
  return plane;
}

ControlPlane::ControlPlane(Clock& clock, transport::Network& network, Options options,
                           ScratchFolder folder, ReservedPort etcd_port,
                           ReservedPort api_server_port)
    : clock_(clock),
      network_(network),
      options_(std::move(options)),
      folder_(std::move(folder)),
      etcd_port_(std::move(etcd_port)),
      api_server_port_(std::move(api_server_port)),
      admin_token_(NewToken()),
      tokens_(NewTokens(options_.users)),
      transport_(network, TransportOptions()) {}

/// Its data is thrown away, so nobody is asked to end in peace.
ControlPlane::~ControlPlane() = default;

Result<> ControlPlane::WriteFiles() const {
  const fs::path& folder = folder_.path();
  const Identity server =
      authority_.Issue("kube-apiserver", "DNS:localhost,DNS:kubernetes.default.svc,IP:127.0.0.1");
  FLYBALL_TRY(WriteFile(folder / "authority.crt", authority()));
  FLYBALL_TRY(WriteFile(folder / "server.crt", server.certificate));
  FLYBALL_TRY(WriteFile(folder / "server.key", server.key));

  // Service accounts' tokens are signed with a key that is nobody's certificate; only the form of
  // one is used, since upstream reads the public key from it.
  const Identity service_accounts = authority_.Issue("service-accounts");
  FLYBALL_TRY(WriteFile(folder / "service-accounts.crt", service_accounts.certificate));
  FLYBALL_TRY(WriteFile(folder / "service-accounts.key", service_accounts.key));

  std::string tokens = admin_token_ + ",admin,admin,system:masters\n";
  for (const auto& [user, token] : tokens_) tokens += token + "," + user + "," + user + "\n";
  FLYBALL_TRY(WriteFile(folder / "tokens.csv", tokens));
  return WriteFile(folder / "audit-policy.yaml", kAuditPolicy);
}

Result<> ControlPlane::StartEtcd() {
  const std::string client_url = Loopback("http", etcd_port_);
  // The only member, so nobody ever connects to where it says its peers find it.
  const std::string peer_url = "http://127.0.0.1:1";
  FLYBALL_TRY(
      etcd_,
      Process::Start(
          options_.programs.etcd,
          {"--name=only", "--data-dir=" + (folder_.path() / "etcd").string(), "--unsafe-no-fsync",
           "--socket-reuse-port=true", "--listen-client-urls=" + client_url,
           "--advertise-client-urls=" + client_url, "--listen-peer-urls=http://127.0.0.1:0",
           "--initial-advertise-peer-urls=" + peer_url, "--initial-cluster=only=" + peer_url},
          options_.logs / "etcd.log"));
  return {};
}

std::vector<std::string> ControlPlane::ApiServerArguments() const {
  const auto file = [this](const char* name) { return (folder_.path() / name).string(); };
  std::vector<std::string> arguments = {
      "--etcd-servers=" + Loopback("http", etcd_port_),
      "--bind-address=127.0.0.1",
      "--advertise-address=127.0.0.1",
      "--secure-port=" + std::to_string(api_server_port_.number()),
      "--permit-port-sharing=true",
      "--endpoint-reconciler-type=none",  // it would complain that its address is a loopback one
      "--service-cluster-ip-range=10.0.0.0/16",
      "--cert-dir=" + file("certificates"),
      "--tls-cert-file=" + file("server.crt"),
      "--tls-private-key-file=" + file("server.key"),
      "--client-ca-file=" + file("authority.crt"),
      "--token-auth-file=" + file("tokens.csv"),
      "--authorization-mode=RBAC",
      "--allow-privileged=true",
      "--service-account-issuer=https://kubernetes.default.svc",
      "--service-account-key-file=" + file("service-accounts.crt"),
      "--service-account-signing-key-file=" + file("service-accounts.key"),
      "--shutdown-watch-termination-grace-period=5s",  // else open watches hold it for a minute
      "--audit-policy-file=" + file("audit-policy.yaml"),
      "--audit-log-path=" + audit_log().string(),
      "--audit-log-maxsize=0",  // tests read it whole
  };
  arguments.insert(arguments.end(), options_.api_server_flags.begin(),
                   options_.api_server_flags.end());
  return arguments;
}

bool ControlPlane::StopApiServer() {
  return !api_server_ || api_server_->Stop(clock_, options_.patience);
}

void ControlPlane::KillApiServer() {
  if (api_server_) api_server_->Kill();
}

Result<> ControlPlane::StartApiServer() {
  KillApiServer();
  FLYBALL_TRY(api_server_, Process::Start(options_.programs.api_server, ApiServerArguments(),
                                          options_.logs / "kube-apiserver.log"));
  return WaitUntilReady();
}

Result<> ControlPlane::CompactEtcd() {
  transport::HttpTransport::Options options;
  options.server = *transport::Url::Parse(Loopback("http", etcd_port_));
  transport::HttpTransport transport(network_, options);
  const auto ask = [&](const char* path, std::string body) -> Result<api::Json> {
    FLYBALL_TRY(const auto response,
                transport::Fetch(transport, clock_,
                                 {.method = "POST",
                                  .target = path,
                                  .headers = {{"content-type", "application/json"}},
                                  .body = std::move(body),
                                  .timeout = 30s}));
    if (response.status != 200) return Fail(ErrorCode::kUnavailable, "etcd: " + response.body);
    return api::Json::Parse(response.body);
  };
  // Any key will do: every answer says what the latest revision is.
  FLYBALL_TRY(const api::Json answer, ask("/v3/kv/range", R"({"key":"AA=="})"));
  const api::Json* const header = answer.Find("header");
  const api::Json* const revision = header == nullptr ? nullptr : header->Find("revision");
  if (revision == nullptr) return Fail(ErrorCode::kMalformed, "etcd: " + answer.ToString());
  FLYBALL_TRY(
      ask("/v3/kv/compaction", R"({"physical":true,"revision":)" + revision->ToString() + "}"));
  return {};
}

Result<> ControlPlane::WaitUntilReady() {
  const SteadyTime deadline = clock_.SteadyNow() + options_.patience;
  std::string last;
  while (clock_.SteadyNow() < deadline) {
    if (!etcd_->Running()) return Fail(ErrorCode::kIo, "etcd " + etcd_->Describe());
    if (!api_server_->Running()) {
      return Fail(ErrorCode::kIo, "kube-apiserver " + api_server_->Describe());
    }
    const auto ready = transport::Fetch(transport_, clock_,
                                        {.target = "/readyz",
                                         .headers = {{"authorization", "Bearer " + admin_token_}},
                                         .timeout = 5s});
    if (ready && ready->status == 200) return {};
    last = ready ? ready->body : ready.error().Describe();
    clock_.SleepFor(50ms);
  }
  return Fail(ErrorCode::kTimeout, "kube-apiserver is not ready: " + last);
}

std::string ControlPlane::url() const { return Loopback("https", api_server_port_); }

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
                                               const Credentials& credentials) const {
  std::string text =
      "apiVersion: v1\n"
      "kind: Config\n"
      "current-context: test\n"
      "contexts: [{name: test, context: {cluster: test, user: test}}]\n"
      "clusters:\n"
      "- name: test\n"
      "  cluster:\n";
  text += "    server: " + url() + "\n";
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

std::vector<std::string> ControlPlane::ForbiddenRequests() const {
  std::vector<std::string> found;
  std::ifstream events(audit_log());
  for (std::string event; std::getline(events, event);) {
    // No text in an event can look like this: its quotes would be escaped.
    if (event.contains(R"("code":403)")) found.push_back(std::move(event));
  }
  return found;
}

std::vector<pid_t> ControlPlane::processes() const {
  std::vector<pid_t> pids;
  for (const auto* process : {&etcd_, &api_server_}) {
    if (*process) pids.push_back((*process)->pid());
  }
  return pids;
}

void PrintLogs(const fs::path& logs, std::ostream& out) {
  PrintLastLines(logs / "etcd.log", out);
  PrintLastLines(logs / "kube-apiserver.log", out);
}

}  // namespace flyball::cluster

#include "tests/cluster/real_control_plane.h"

#include <algorithm>
#include <deque>
#include <fstream>
#include <ostream>
#include <system_error>

#include "flyball/api/json.h"
#include "flyball/api/time.h"
#include "flyball/transport/fetch.h"
#include "tests/cluster/written_file.h"

namespace flyball::cluster {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr std::string_view kAuditPolicy = R"(apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules: [{level: Metadata}]
)";

std::string Loopback(std::string_view scheme, const ReservedPort& port) {
  return std::string(scheme) + "://127.0.0.1:" + std::to_string(port.number());
}

/// As audit events have times; they sort as times do.
std::string EventTime(WallTime time) { return api::MicroTime(time).ToString(); }

std::string ReceivedTime(std::string_view event) {
  constexpr std::string_view kName = R"("requestReceivedTimestamp":")";
  const std::size_t at = event.find(kName);
  if (at == std::string_view::npos) return {};
  const std::size_t start = at + kName.size();
  return std::string(event.substr(start, event.find('"', start) - start));
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
    if (name == "kube-controller-manager") programs.manager = file;
  }
  if (programs.etcd.empty() || programs.api_server.empty()) return std::nullopt;
  return programs;
}

Result<std::unique_ptr<RealControlPlane>> RealControlPlane::Start(Clock& clock,
                                                                  transport::Network& network,
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
  std::unique_ptr<RealControlPlane> plane(
      new RealControlPlane(clock, network, std::move(options), std::move(folder),
                           std::move(etcd_port), std::move(api_server_port)));
  FLYBALL_TRY(plane->WriteFiles());
  FLYBALL_TRY(plane->StartEtcd());
  FLYBALL_TRY(plane->StartApiServer());
  return plane;
}

RealControlPlane::RealControlPlane(Clock& clock, transport::Network& network, Options options,
                                   ScratchFolder folder, ReservedPort etcd_port,
                                   ReservedPort api_server_port)
    : ControlPlane(clock, network, options.users, std::move(folder), std::move(api_server_port)),
      options_(std::move(options)),
      etcd_port_(std::move(etcd_port)) {}

Result<> RealControlPlane::WriteFiles() const {
  const Identity server =
      issuer().Issue("kube-apiserver", "DNS:localhost,DNS:kubernetes.default.svc,IP:127.0.0.1");
  FLYBALL_TRY(WriteFile(folder() / "authority.crt", authority()));
  FLYBALL_TRY(WriteFile(folder() / "authority.key", issuer().key()));
  FLYBALL_TRY(WriteFile(folder() / "front-proxy.crt", scripted::Authority().certificate()));
  FLYBALL_TRY(WriteFile(folder() / "server.crt", server.certificate));
  FLYBALL_TRY(WriteFile(folder() / "server.key", server.key));

  // Service accounts' tokens are signed with a key that is nobody's certificate; only the form of
  // one is used, since upstream reads the public key from it.
  const Identity service_accounts = issuer().Issue("service-accounts");
  FLYBALL_TRY(WriteFile(folder() / "service-accounts.crt", service_accounts.certificate));
  FLYBALL_TRY(WriteFile(folder() / "service-accounts.key", service_accounts.key));

  std::string lines = admin_token() + ",admin,admin,system:masters\n";
  for (const auto& [user, token] : tokens()) lines += token + "," + user + "," + user + "\n";
  FLYBALL_TRY(WriteFile(folder() / "tokens.csv", lines));
  return WriteFile(folder() / "audit-policy.yaml", kAuditPolicy);
}

Result<> RealControlPlane::StartEtcd() {
  const std::string client_url = Loopback("http", etcd_port_);
  // The only member, so nobody ever connects to where it says its peers find it.
  const std::string peer_url = "http://127.0.0.1:1";
  FLYBALL_TRY(
      etcd_,
      Process::Start(
          options_.programs.etcd,
          {"--name=only", "--data-dir=" + (folder() / "etcd").string(), "--unsafe-no-fsync",
           "--socket-reuse-port=true", "--listen-client-urls=" + client_url,
           "--advertise-client-urls=" + client_url, "--listen-peer-urls=http://127.0.0.1:0",
           "--initial-advertise-peer-urls=" + peer_url, "--initial-cluster=only=" + peer_url},
          options_.logs / "etcd.log"));
  return {};
}

std::vector<std::string> RealControlPlane::ApiServerArguments() const {
  const auto file = [this](const char* name) { return (folder() / name).string(); };
  std::vector<std::string> arguments = {
      "--etcd-servers=" + Loopback("http", etcd_port_),
      "--bind-address=127.0.0.1",
      "--advertise-address=127.0.0.1",
      "--secure-port=" + std::to_string(port().number()),
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

bool RealControlPlane::StopApiServer() {
  return !api_server_ || api_server_->Stop(clock_, options_.patience);
}

void RealControlPlane::KillApiServer() {
  if (api_server_) api_server_->Kill();
}

Result<> RealControlPlane::StartApiServer() {
  KillApiServer();
  FLYBALL_TRY(api_server_, Process::Start(options_.programs.api_server, ApiServerArguments(),
                                          options_.logs / "kube-apiserver.log"));
  const std::string begin = EventTime(clock_.WallNow());
  FLYBALL_TRY(WaitUntilReady());
  starts_.emplace_back(begin, EventTime(clock_.WallNow()));
  return {};
}

Result<> RealControlPlane::ForgetHistory() {
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

Result<> RealControlPlane::WaitUntilReady() {
  const SteadyTime deadline = clock_.SteadyNow() + options_.patience;
  std::string last;
  while (clock_.SteadyNow() < deadline) {
    if (!etcd_->Running()) return Fail(ErrorCode::kIo, "etcd " + etcd_->Describe());
    if (!api_server_->Running()) {
      return Fail(ErrorCode::kIo, "kube-apiserver " + api_server_->Describe());
    }
    const auto ready = transport::Fetch(transport_, clock_,
                                        {.target = "/readyz",
                                         .headers = {{"authorization", "Bearer " + admin_token()}},
                                         .timeout = 5s});
    if (ready && ready->status == 200) return {};
    last = ready ? ready->body : ready.error().Describe();
    clock_.SleepFor(50ms);
  }
  return Fail(ErrorCode::kTimeout, "kube-apiserver is not ready: " + last);
}

std::vector<std::string> RealControlPlane::ForbiddenRequests() const {
  std::vector<std::string> found;
  std::ifstream events(audit_log());
  for (std::string event; std::getline(events, event);) {
    // No text in an event can look like these: their quotes would be escaped. What was allowed and
    // refused all the same was refused to anybody: a namespace goes, or a quota is used up.
    if (!event.contains(R"("code":403)")) continue;
    if (event.contains(R"("authorization.k8s.io/decision":"allow")")) continue;
    const std::string when = ReceivedTime(event);
    const bool at_start = std::ranges::any_of(
        starts_, [&](const auto& start) { return start.first <= when && when <= start.second; });
    if (!at_start) found.push_back(std::move(event));
  }
  return found;
}

std::string RealControlPlane::etcd_url() const { return Loopback("http", etcd_port_); }

std::vector<pid_t> RealControlPlane::processes() const {
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

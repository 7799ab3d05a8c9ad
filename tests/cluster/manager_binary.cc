#include "tests/cluster/manager_binary.h"

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

namespace flyball::cluster {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

std::string_view NameOf(std::string_view flag) { return flag.substr(0, flag.find('=')); }

}  // namespace

std::vector<std::string> KubeadmFlags(const RealControlPlane& plane, const fs::path& kubeconfig) {
  const auto file = [&plane](const char* name) { return (plane.folder() / name).string(); };
  return {
      "--allocate-node-cidrs=true",
      "--authentication-kubeconfig=" + kubeconfig.string(),
      "--authorization-kubeconfig=" + kubeconfig.string(),
      "--bind-address=127.0.0.1",
      "--client-ca-file=" + file("authority.crt"),
      "--cluster-cidr=10.244.0.0/16",
      "--cluster-name=kubernetes",
      "--cluster-signing-cert-file=" + file("authority.crt"),
      "--cluster-signing-key-file=" + file("authority.key"),
      "--controllers=*,bootstrapsigner,tokencleaner",
      "--kubeconfig=" + kubeconfig.string(),
      "--leader-elect=true",
      "--requestheader-client-ca-file=" + file("front-proxy.crt"),
      "--root-ca-file=" + file("authority.crt"),
      "--service-account-private-key-file=" + file("service-accounts.key"),
      "--service-cluster-ip-range=10.0.0.0/16",
      "--use-service-account-credentials=true",
  };
}

Result<ManagerBinary> ManagerBinary::Start(const RealControlPlane& plane, Clock& clock,
                                           transport::Network& network, Options options) {
  if (options.kubeconfig.empty()) {
    FLYBALL_TRY(
        options.kubeconfig,
        plane.WriteKubeconfig("controller-manager", {.certificate = plane.IssueClientCertificate(
                                                         "system:kube-controller-manager")}));
  }
  FLYBALL_TRY(auto port, ReservedPort::Take());
  std::vector<std::string> flags = KubeadmFlags(plane, options.kubeconfig);
  // A list that is given twice would be both lists.
  std::erase_if(flags, [&](const std::string& flag) {
    return std::ranges::any_of(options.flags,
                               [&](const auto& given) { return NameOf(given) == NameOf(flag); });
  });
  // Several run beside each other here, so that each has a port of its own.
  flags.push_back("--secure-port=" + std::to_string(port.number()));
  flags.emplace_back("--permit-port-sharing=true");
  flags.insert(flags.end(), options.flags.begin(), options.flags.end());
  std::error_code ignored;
  fs::remove(options.log, ignored);
  FLYBALL_TRY(auto process, Process::Start(options.program, flags, options.log));
  return ManagerBinary(clock, network, std::move(options.log), std::move(port), std::move(process));
}

std::string ManagerBinary::url() const {
  return "https://127.0.0.1:" + std::to_string(port_.number());
}

Result<transport::Response> ManagerBinary::Get(const std::string& target,
                                               const Credentials& who) const {
  transport::HttpTransport::Options options;
  FLYBALL_TRY(options.server, transport::Url::Parse(url()));
  options.tls = [&who] {
    return transport::TlsOptions{.certificate = who.certificate.certificate,
                                 .key = who.certificate.key,
                                 .skip_server_check = true};
  };
  transport::HttpTransport transport(*network_, std::move(options));
  transport::Request request{.target = target, .timeout = 30s};
  if (!who.token.empty()) request.headers.emplace_back("authorization", "Bearer " + who.token);
  return transport::Fetch(transport, *clock_, std::move(request));
}

bool ManagerBinary::Healthy() const {
  const auto answer = Get("/healthz");
  return answer && answer->status == 200;
}

std::string ManagerBinary::log() const {
  std::ifstream file(log_);
  return {std::istreambuf_iterator<char>(file), {}};
}

void ManagerBinary::Signal(int signal) const { kill(process_.pid(), signal); }

}  // namespace flyball::cluster

#include "tests/cluster/embedded_control_plane.h"

#include <utility>

namespace flyball::cluster {

Result<std::unique_ptr<EmbeddedControlPlane>> EmbeddedControlPlane::Start(
    Executor& executor, transport::Network& network) {
  FLYBALL_TRY(auto folder, ScratchFolder::Make());
  FLYBALL_TRY(auto port, ReservedPort::Take());
  std::unique_ptr<EmbeddedControlPlane> plane(
      new EmbeddedControlPlane(executor, network, std::move(folder), std::move(port)));
  FLYBALL_TRY(plane->StartApiServer());
  return plane;
}

EmbeddedControlPlane::EmbeddedControlPlane(Executor& executor, transport::Network& network,
                                           ScratchFolder folder, ReservedPort port)
    : ControlPlane(executor.clock(), network, {"alice", "bob"}, std::move(folder), std::move(port)),
      executor_(executor),
      timers_(executor) {}

EmbeddedControlPlane::~EmbeddedControlPlane() { StopApiServer(); }

bool EmbeddedControlPlane::StopApiServer() {
  sandbox_.reset();
  return true;
}

Result<> EmbeddedControlPlane::StartApiServer() {
  const bool again = std::exchange(started_, true);
  StopApiServer();
  sandbox::Sandbox::Options options{.folder = folder() / "sandbox"};
  options.services.cluster_ips = "10.0.0.0/16";  // as the real one has it
  options.accounts.push_back(
      {admin_token(), {.name = "admin", .uid = "admin", .groups = {"system:masters"}}});
  for (const auto& [user, token] : tokens()) options.accounts.push_back({token, {.name = user}});
  FLYBALL_TRY(sandbox_, sandbox::Sandbox::Create({executor_, timers_}, std::move(options)));
  // As the memory of a real one begins: it does not know how things came to be as they are.
  if (again) FLYBALL_TRY(ForgetHistory());
  const Identity identity = issuer().Issue("kube-apiserver", "DNS:localhost,IP:127.0.0.1");
  serving::HttpServer::Options http;
  http.port = static_cast<std::uint16_t>(port().number());
  http.share_port = true;  // with who keeps it for this
  http.limits.request_body =
      4 * sandbox::ApiServer::kMaxBody;  // for the API server itself to refuse
  http.tls = serving::TlsOptions{{identity.certificate, identity.key}, authority()};
  FLYBALL_TRY(sandbox_->Listen(std::move(http), &network_));
  return {};
}

Result<> EmbeddedControlPlane::ForgetHistory() {
  sandbox_->server().ForgetHistory();
  return {};
}

}  // namespace flyball::cluster

#include "tests/cluster/embedded_control_plane.h"

#include <memory>
#include <random>
#include <utility>

namespace flyball::cluster {

using namespace std::chrono_literals;
using sandbox::ApiServer;

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
  http_.reset();
  server_.reset();
  return true;
}

Result<> EmbeddedControlPlane::StartApiServer() {
  const bool again = std::exchange(started_, true);
  StopApiServer();
  ApiServer::Options options;
  options.folder = folder() / "objects";
  options.random = [engine = std::make_shared<std::mt19937_64>(std::random_device{}())] {
    return (*engine)();
  };
  options.services.cluster_ips = "10.0.0.0/16";  // as the real one has it
  options.accounts.push_back(
      {admin_token(), {.name = "admin", .uid = "admin", .groups = {"system:masters"}}});
  for (const auto& [user, token] : tokens()) options.accounts.push_back({token, {.name = user}});
  FLYBALL_TRY(server_, ApiServer::Create({executor_, timers_}, std::move(options)));
  // As the memory of a real one begins: it does not know how things came to be as they are.
  if (again) FLYBALL_TRY(ForgetHistory());
  const Identity identity = issuer().Issue("kube-apiserver", "DNS:localhost,IP:127.0.0.1");
  serving::HttpServer::Options http;
  http.port = static_cast<std::uint16_t>(port().number());
  http.share_port = true;                              // with who keeps it for this
  http.limits.request_body = 4 * ApiServer::kMaxBody;  // for the API server itself to refuse
  http.tls = serving::TlsOptions{{identity.certificate, identity.key}, authority()};
  FLYBALL_TRY(http_, serving::HttpServer::Listen(network_, *server_, std::move(http)));
  return {};
}

Result<> EmbeddedControlPlane::ForgetHistory() {
  server_->ForgetHistory();
  return {};
}

}  // namespace flyball::cluster

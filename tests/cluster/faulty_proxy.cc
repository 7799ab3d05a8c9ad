#include "tests/cluster/faulty_proxy.h"

#include <fstream>
#include <utility>

#include "flyball/api/base64.h"

namespace flyball::cluster {

/// Asks for answers as they are: events are held and repeated whole, so they must not come packed.
class FaultyProxy::Forwarder final : public transport::Transport {
 public:
  explicit Forwarder(transport::Transport& next) : next_(next) {}

  std::shared_ptr<transport::Exchange> Send(
      transport::Request request, std::shared_ptr<transport::ResponseHandler> handler) override {
    std::erase_if(request.headers,
                  [](const auto& header) { return header.first == "accept-encoding"; });
    request.peer = nullptr;
    request.peer_certificates = nullptr;
    return next_.Send(std::move(request), std::move(handler));
  }

 private:
  transport::Transport& next_;
};

Result<std::unique_ptr<FaultyProxy>> FaultyProxy::Start(const ControlPlane& plane,
                                                        Executor& executor) {
  std::unique_ptr<FaultyProxy> proxy(new FaultyProxy(plane, executor));
  const Identity identity = proxy->authority_.Issue("proxy", "DNS:localhost,IP:127.0.0.1");
  serving::HttpServer::Options options;
  options.tls = serving::TlsOptions{.certificate = {identity.certificate, identity.key}};
  FLYBALL_TRY(proxy->server_,
              serving::HttpServer::Listen(proxy->network_, proxy->faults_, std::move(options)));
  return proxy;
}

FaultyProxy::FaultyProxy(const ControlPlane& plane, Executor& executor)
    : plane_(plane),
      network_(executor, "network/proxy"),
      upstream_(network_, plane.TransportOptions()),
      forwarder_(std::make_unique<Forwarder>(upstream_)),
      faults_(*forwarder_, executor) {}

FaultyProxy::~FaultyProxy() = default;

Result<std::filesystem::path> FaultyProxy::WriteKubeconfig(const std::string& name,
                                                           const std::string& token) const {
  std::filesystem::path path = plane_.folder() / (name + ".kubeconfig");
  std::ofstream file(path);
  file << "apiVersion: v1\n"
          "kind: Config\n"
          "current-context: test\n"
          "contexts: [{name: test, context: {cluster: test, user: test}}]\n"
          "clusters:\n"
          "- name: test\n"
          "  cluster:\n"
          "    server: "
       << server_->url()
       << "\n    certificate-authority-data: " << api::EncodeBase64(authority_.certificate())
       << "\nusers:\n- name: test\n  user: {token: " << token << "}\n";
  file.close();
  if (!file) return Fail(ErrorCode::kIo, path.string() + ": cannot be written");
  return path;
}

}  // namespace flyball::cluster

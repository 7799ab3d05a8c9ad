#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "flyball/sandbox/faults.h"
#include "flyball/serving/http_server.h"
#include "flyball/transport/http_transport.h"
#include "flyball/transport/network.h"
#include "tests/cluster/control_plane.h"
#include "tests/scripted/certificates.h"

namespace flyball::cluster {

/// A proxy before an API server, as a load balancer is one that ends TLS: HTTP/2 on both sides,
/// each request a stream of its own. Clients say by a token who they are. What goes wrong on the
/// way is for a test to say.
class FaultyProxy {
 public:
  static Result<std::unique_ptr<FaultyProxy>> Start(const ControlPlane& plane, Executor& executor);
  ~FaultyProxy();
  FaultyProxy(const FaultyProxy&) = delete;
  FaultyProxy& operator=(const FaultyProxy&) = delete;

  sandbox::Faults& faults() { return faults_; }
  /// Writes a kubeconfig of somebody who goes through the proxy.
  Result<std::filesystem::path> WriteKubeconfig(const std::string& name,
                                                const std::string& token) const;

 private:
  class Forwarder;

  FaultyProxy(const ControlPlane& plane, Executor& executor);

  const ControlPlane& plane_;
  const scripted::Authority authority_;
  transport::Network network_;
  transport::HttpTransport upstream_;
  const std::unique_ptr<Forwarder> forwarder_;
  sandbox::Faults faults_;
  std::unique_ptr<serving::HttpServer> server_;  // ends first
};

}  // namespace flyball::cluster

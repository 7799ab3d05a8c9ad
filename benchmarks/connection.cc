#include "benchmarks/connection.h"

#include <utility>

namespace flyball::bench {
namespace {

transport::HttpTransport::Options OptionsFor(const client::AccessConfig& access,
                                             client::Credentials& credentials) {
  transport::HttpTransport::Options options;
  options.server = access.server;
  options.tls = [&credentials] { return credentials.Tls(); };
  return options;
}

}  // namespace

Result<std::unique_ptr<Connection>> Connection::Open(transport::Network& network,
                                                     const std::string& kubeconfig) {
  FLYBALL_TRY(auto access, client::ToolAccess(kubeconfig, {}, {}, {}));
  FLYBALL_TRY(auto credentials,
              client::Credentials::Create(access, {.clock = network.executor().clock()}));
  return std::unique_ptr<Connection>(
      new Connection(network, std::move(access), std::move(credentials)));
}

Connection::Connection(transport::Network& network, client::AccessConfig access,
                       std::unique_ptr<client::Credentials> credentials)
    : access_(std::move(access)),
      credentials_(std::move(credentials)),
      transport_(network, OptionsFor(access_, *credentials_)),
      rest_({.transport = transport_,
             .clock = network.executor().clock(),
             .credentials = credentials_.get()},
            {}) {}

bool Connection::IsReady() {
  return rest_.Do({.path = "/readyz", .asked = "whether it is ready", .once = true}).has_value();
}

}  // namespace flyball::bench

#include "flyball/runtime/api_server_connection.h"

#include <utility>

namespace flyball::runtime {

ApiServerConnection::ApiServerConnection(Deps deps, const client::AccessConfig& access)
    : deps_(std::move(deps)), requests_(deps_.metrics, access.server_text) {
  transport::HttpTransport::Options options;
  options.server = access.server;
  options.proxy = access.proxy;
  options.metrics = transport::TransportMetrics(deps_.metrics);
  options.tls = [this] { return identity_->credentials().Tls(); };
  transport_ = std::make_unique<transport::HttpTransport>(deps_.network, std::move(options));
}

Result<std::unique_ptr<ApiServerConnection>> ApiServerConnection::Open(
    Deps deps, const client::AccessConfig& access, Options options) {
  std::unique_ptr<ApiServerConnection> connection(new ApiServerConnection(std::move(deps), access));
  ClientIdentity::Deps identity = connection->IdentityDeps(options.name);
  identity.limiter = std::move(options.limiter);
  FLYBALL_TRY(connection->identity_,
              ClientIdentity::Create(std::move(identity), access,
                                     {.user_agent = std::move(options.user_agent),
                                      .encoding = options.encoding,
                                      .event_source = options.name,
                                      .takes_gzip = true}));
  connection->identity_->credentials().WhenTlsChanges(
      [&transport = *connection->transport_] { transport.Renew(); });
  return connection;
}

ClientIdentity::Deps ApiServerConnection::IdentityDeps(const std::string& name) const {
  return {.executor = deps_.executor,
          .transport = *transport_,
          .random = deps_.random,
          .requests = requests_,
          .credentials = client::CredentialMetrics(deps_.metrics, deps_.executor.clock()),
          .events = EventMetrics(deps_.metrics, name),
          .log = deps_.log};
}

}  // namespace flyball::runtime

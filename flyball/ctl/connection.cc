#include "flyball/ctl/connection.h"

#include <utility>

namespace flyball::ctl {

Result<client::AccessConfig> ResolveAccess(const AccessFlags& flags,
                                           const client::Environment& environment,
                                           const Logger& log) {
  FLYBALL_TRY(
      client::AccessConfig access,
      client::ToolAccess(flags.kubeconfig, {.context = flags.context, .server = flags.server},
                         environment, log));
  if (!flags.namespace_.empty()) access.namespace_ = flags.namespace_;
  if (!flags.token.empty()) access.token = {flags.token, "", "--token"};
  if (!flags.certificate_authority.empty()) {
    access.certificate_authority = {"", flags.certificate_authority, "--certificate-authority"};
  }
  if (!flags.tls_server_name.empty()) access.tls_server_name = flags.tls_server_name;
  if (flags.insecure_skip_tls_verify) {
    access.insecure_skip_tls_verify = true;
    access.certificate_authority = {};
  }
  if (!flags.as.empty()) access.impersonation.user = flags.as;
  if (!flags.as_groups.empty()) access.impersonation.groups = flags.as_groups;
  return access;
}

Result<std::unique_ptr<Connection>> Connection::Open(const client::AccessConfig& access,
                                                     Logger log) {
  std::unique_ptr<Connection> connection(new Connection);
  FLYBALL_TRY(connection->credentials_,
              client::Credentials::Create(access, {.clock = connection->clock_, .log = log}));
  transport::HttpTransport::Options options;
  options.server = access.server;
  options.proxy = access.proxy;
  options.tls = [&credentials = *connection->credentials_] { return credentials.Tls(); };
  connection->transport_ =
      std::make_unique<transport::HttpTransport>(connection->network_, std::move(options));
  connection->credentials_->WhenTlsChanges(
      [&transport = *connection->transport_] { transport.Renew(); });
  connection->rest_ = std::make_unique<client::RestClient>(
      client::RestClient::Deps{.transport = *connection->transport_,
                               .clock = connection->clock_,
                               .credentials = connection->credentials_.get(),
                               .log = std::move(log)},
      client::RestClient::Options{.user_agent = "flyball", .path_prefix = access.server.path});
  return connection;
}

}  // namespace flyball::ctl

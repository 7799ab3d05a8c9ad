#include "flyball/runtime/client_identity.h"

#include <utility>

namespace flyball::runtime {

Result<std::unique_ptr<ClientIdentity>> ClientIdentity::Create(Deps deps,
                                                               const client::AccessConfig& access,
                                                               Options options) {
  FLYBALL_TRY(auto credentials, client::Credentials::Create(access, {.clock = deps.executor.clock(),
                                                                     .log = deps.log,
                                                                     .issue = options.issue,
                                                                     .metrics = deps.credentials}));
  return std::unique_ptr<ClientIdentity>(
      new ClientIdentity(std::move(deps), std::move(credentials), access, std::move(options)));
}

ClientIdentity::ClientIdentity(Deps deps, std::unique_ptr<client::Credentials> credentials,
                               const client::AccessConfig& access, Options options)
    : deps_(std::move(deps)),
      credentials_(std::move(credentials)),
      rest_({.transport = deps_.transport,
             .clock = deps_.executor.clock(),
             .credentials = credentials_.get(),
             .limiter = deps_.limiter.get(),
             .log = deps_.log,
             .metrics = deps_.requests,
             .fence = deps_.fence},
            {.user_agent = std::move(options.user_agent),
             .path_prefix = access.server.path,
             .takes_gzip = options.takes_gzip}),
      client_(rest_, options.encoding),
      events_({.executor = deps_.executor,
               .client = client_,
               .random = deps_.random,
               .log = deps_.log,
               .metrics = deps_.events},
              {.name = std::move(options.event_source)}) {}

client::AccessConfig WithoutIdentity(client::AccessConfig access) {
  access.client_certificate = {};
  access.client_key = {};
  access.token = {};
  access.impersonation = {};
  access.exec = {};
  return access;
}

}  // namespace flyball::runtime

#include "flyball/runtime/account.h"

#include <utility>

namespace flyball::runtime {

Result<std::unique_ptr<Account>> Account::Create(Deps deps, const client::AccessConfig& access,
                                                 Options options) {
  FLYBALL_TRY(auto credentials, client::Credentials::Create(access, {.clock = deps.executor.clock(),
                                                                     .log = deps.log,
                                                                     .issue = options.issue,
                                                                     .metrics = deps.credentials}));
  return std::unique_ptr<Account>(
      new Account(std::move(deps), std::move(credentials), access, std::move(options)));
}

Account::Account(Deps deps, std::unique_ptr<client::Credentials> credentials,
                 const client::AccessConfig& access, Options options)
    : deps_(std::move(deps)),
      credentials_(std::move(credentials)),
      rest_({.transport = deps_.transport,
             .clock = deps_.executor.clock(),
             .credentials = credentials_.get(),
             .limiter = deps_.limiter.get(),
             .log = deps_.log,
             .metrics = deps_.requests,
             .gate = deps_.gate},
            {.user_agent = std::move(options.user_agent),
             .path_prefix = access.server.path,
             .takes_gzip = options.takes_gzip}),
      client_(rest_, options.encoding),
      events_({.executor = deps_.executor,
               .client = client_,
               .random = deps_.random,
               .log = deps_.log,
               .metrics = deps_.events},
              {.name = std::move(options.event_line)}) {}

client::AccessConfig WithoutIdentity(client::AccessConfig access) {
  access.client_certificate = {};
  access.client_key = {};
  access.token = {};
  access.impersonation = {};
  access.exec = {};
  return access;
}

}  // namespace flyball::runtime

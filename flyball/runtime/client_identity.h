#pragma once

#include <memory>
#include <string>

#include "flyball/api/names.h"
#include "flyball/base/executor.h"
#include "flyball/base/logging.h"
#include "flyball/client/access_config.h"
#include "flyball/client/client.h"
#include "flyball/client/credentials.h"
#include "flyball/client/request_limiter.h"
#include "flyball/runtime/event_sink.h"
#include "flyball/transport/transport.h"

namespace flyball::runtime {

/// A client of the API server with an identity of its own: credentials that are renewed, a rate
/// limit, a user agent, and a queue for its events. (Upstream's ClientBuilder makes these.)
///
/// Any thread.
class ClientIdentity {
 public:
  struct Deps {
    Executor& executor;
    transport::Transport& transport;
    api::RandomBits random;                                   ///< for any thread
    std::shared_ptr<const transport::WriteFence> fence = {};  ///< that writes have to pass
    std::shared_ptr<client::RequestLimiter> limiter = {};     ///< none: no limit
    client::RequestMetrics requests = {};
    client::CredentialMetrics credentials = {};
    EventMetrics events = {};
    Logger log = {};
  };
  struct Options {
    std::string user_agent;
    client::Encoding encoding = client::Encoding::kProtobuf;
    client::IssueCredential issue = {};   ///< in place of what `access` has
    std::string event_source = "events";  ///< the name of its events in metrics
    bool takes_gzip = false;  ///< see RestClient: for servers that are not in the process
  };

  /// Fails as Credentials::Create().
  static Result<std::unique_ptr<ClientIdentity>> Create(Deps deps,
                                                        const client::AccessConfig& access,
                                                        Options options);

  const client::Client& client() const { return client_; }
  client::RestClient& rest() { return rest_; }
  client::Credentials& credentials() { return *credentials_; }
  EventSink& events() { return events_; }

 private:
  ClientIdentity(Deps deps, std::unique_ptr<client::Credentials> credentials,
                 const client::AccessConfig& access, Options options);

  const Deps deps_;
  const std::unique_ptr<client::Credentials> credentials_;
  client::RestClient rest_;
  const client::Client client_;
  EventSink events_;
};

/// Where the server is and how it proves itself, without the client's credentials: for identities
/// that bring tokens of their own, over which a client certificate would take precedence.
client::AccessConfig WithoutIdentity(client::AccessConfig access);

}  // namespace flyball::runtime

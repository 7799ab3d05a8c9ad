#pragma once

#include <memory>
#include <string>

#include "flyball/api/names.h"
#include "flyball/base/executor.h"
#include "flyball/base/logging.h"
#include "flyball/base/metrics.h"
#include "flyball/client/access_config.h"
#include "flyball/client/request_limiter.h"
#include "flyball/runtime/client_identity.h"
#include "flyball/transport/http_transport.h"

namespace flyball::runtime {

/// Connections to an API server, and the client identity on them that a kubeconfig gives. Requests
/// that must not wait behind others have an ApiServerConnection of their own.
///
/// Any thread.
class ApiServerConnection {
 public:
  struct Deps {
    Executor& executor;
    transport::Network& network;
    MetricRegistry& metrics;
    api::RandomBits random;  ///< for any thread
    Logger log = {};
  };
  struct Options {
    std::string name;        ///< in metrics: "shared-informers"
    std::string user_agent;  ///< up to its first slash, whose the fields are that are written
    client::Encoding encoding = client::Encoding::kProtobuf;
    std::shared_ptr<client::RequestLimiter> limiter = {};  ///< none: no limit
  };

  static Result<std::unique_ptr<ApiServerConnection>> Open(Deps deps,
                                                           const client::AccessConfig& access,
                                                           Options options);

  ClientIdentity& identity() { return *identity_; }
  /// For further client identities on the same connections.
  ClientIdentity::Deps IdentityDeps(const std::string& name) const;

 private:
  ApiServerConnection(Deps deps, const client::AccessConfig& access);

  const Deps deps_;
  const client::RequestMetrics requests_;
  // The transport asks the identity for certificates when it connects, which is when it is used.
  std::unique_ptr<transport::HttpTransport> transport_;
  std::unique_ptr<ClientIdentity> identity_;
};

}  // namespace flyball::runtime

#pragma once

#include <memory>
#include <string>

#include "flyball/base/executor.h"
#include "flyball/base/result.h"
#include "flyball/client/access_config.h"
#include "flyball/client/client.h"
#include "flyball/client/credentials.h"
#include "flyball/transport/http_transport.h"

namespace flyball::bench {

/// A client of the cluster that a kubeconfig names, whichever server that is.
class Connection {
 public:
  static Result<std::unique_ptr<Connection>> Open(transport::Network& network,
                                                  const std::string& kubeconfig);

  client::RestClient& rest() { return rest_; }
  const client::Client& client() const { return client_; }
  Clock& clock() { return rest_.clock(); }
  /// Whether it says that it is ready.
  bool IsReady();

 private:
  Connection(transport::Network& network, client::AccessConfig access,
             std::unique_ptr<client::Credentials> credentials);

  const client::AccessConfig access_;
  const std::unique_ptr<client::Credentials> credentials_;
  transport::HttpTransport transport_;
  client::RestClient rest_;
  const client::Client client_{rest_};
};

}  // namespace flyball::bench

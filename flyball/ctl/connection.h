#pragma once

#include <memory>
#include <string>
#include <vector>

#include "flyball/base/clock.h"
#include "flyball/base/executor.h"
#include "flyball/base/logging.h"
#include "flyball/base/result.h"
#include "flyball/client/access_config.h"
#include "flyball/client/credentials.h"
#include "flyball/client/environment.h"
#include "flyball/client/rest_client.h"
#include "flyball/transport/http_transport.h"
#include "flyball/transport/network.h"

namespace flyball::ctl {

/// The flags with which a person says which cluster is meant, and as whom. They are kubectl's.
struct AccessFlags {
  std::string kubeconfig = {};
  std::string context = {};
  std::string namespace_ = {};
  std::string server = {};
  std::string token = {};
  std::string certificate_authority = {};
  std::string tls_server_name = {};
  std::string as = {};
  std::vector<std::string> as_groups = {};
  bool insecure_skip_tls_verify = false;
};

/// What a kubeconfig and the flags say together.
Result<client::AccessConfig> ResolveAccess(const AccessFlags& flags,
                                           const client::Environment& environment,
                                           const Logger& log);

/// A client of a cluster, and all that it needs.
class Connection {
 public:
  static Result<std::unique_ptr<Connection>> Open(const client::AccessConfig& access, Logger log);

  client::RestClient& rest() { return *rest_; }

 private:
  Connection() = default;

  RealClock clock_;
  ElasticExecutor executor_{clock_};
  transport::Network network_{executor_};
  std::unique_ptr<client::Credentials> credentials_;
  std::unique_ptr<transport::HttpTransport> transport_;
  std::unique_ptr<client::RestClient> rest_;
};

}  // namespace flyball::ctl

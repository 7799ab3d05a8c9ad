#pragma once

#include <memory>
#include <string>

#include "flyball/api/names.h"
#include "flyball/base/executor.h"
#include "flyball/base/logging.h"
#include "flyball/base/metrics.h"
#include "flyball/client/access_config.h"
#include "flyball/client/request_limiter.h"
#include "flyball/runtime/account.h"
#include "flyball/transport/http_transport.h"

namespace flyball::runtime {

/// Connections to an API server, and the account on them that a configuration gives. What must not
/// be held up by others has a line to itself.
///
/// Any thread.
class Line {
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

  static Result<std::unique_ptr<Line>> Open(Deps deps, const client::AccessConfig& access,
                                            Options options);

  Account& account() { return *account_; }
  /// For others who have accounts on the same connections.
  Account::Deps ForAccount(const std::string& name) const;

 private:
  Line(Deps deps, const client::AccessConfig& access);

  const Deps deps_;
  const client::RequestMetrics requests_;
  // The transport asks the account for certificates when it connects, which is when it is used.
  std::unique_ptr<transport::HttpTransport> transport_;
  std::unique_ptr<Account> account_;
};

}  // namespace flyball::runtime

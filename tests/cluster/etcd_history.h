#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "flyball/base/executor.h"
#include "flyball/base/mutex.h"
#include "flyball/transport/fetch.h"
#include "flyball/transport/http_transport.h"
#include "tests/cluster/real_control_plane.h"

namespace flyball::cluster {

/// All that is written to etcd from the start of this on, in the order in which it was: nothing is
/// passed over and nothing is folded, also while the API server is away.
class EtcdHistory {
 public:
  struct Change {
    std::string key;  ///< "/registry/pods/test-1/web-0"
    std::int64_t revision = 0;
    /// The object as it is kept, in its envelope. Empty: it was deleted.
    std::string value;
  };
  /// Called for one change after the other, by a task of the executor.
  using Handler = std::function<void(const Change&)>;

  /// Which keys it is about.
  using Wanted = std::function<bool(std::string_view key)>;

  static Result<std::unique_ptr<EtcdHistory>> Follow(const RealControlPlane& plane,
                                                     Executor& executor,
                                                     transport::Network& network, Wanted wanted,
                                                     Handler handler);
  /// Ends it. No handler is called any more when this returns.
  ~EtcdHistory();

  /// Blocks until all that has been written by now has been told of.
  Result<> CatchUp(std::chrono::nanoseconds patience);

 private:
  EtcdHistory(const RealControlPlane& plane, Executor& executor, transport::Network& network,
              Wanted wanted, Handler handler);
  Result<std::int64_t> LatestRevision();
  Result<> Start(std::int64_t revision);
  void ReadAll(transport::ResponseStream stream);
  Result<> TellOf(std::string_view line);
  void End(Result<> how);

  Clock& clock_;
  Executor& executor_;
  const Wanted wanted_;
  const Handler handler_;
  transport::HttpTransport transport_;
  std::stop_source stop_;

  Mutex mutex_;
  CondVar changed_;
  std::int64_t told_ FLYBALL_GUARDED_BY(mutex_) = 0;  // of all up to this revision
  bool ended_ FLYBALL_GUARDED_BY(mutex_) = true;
  Result<> how_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::cluster

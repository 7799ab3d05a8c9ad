#pragma once

#include <memory>

#include "flyball/base/executor.h"

namespace flyball::transport {

class NetworkLoop;

/// The thread on which all connections are served: one, however many there are. Outlives the
/// transports and servers that use it; the destructor waits for it to end.
class Network {
 public:
  explicit Network(Executor& executor);
  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  Executor& executor() const { return executor_; }
  /// For those who put connections on it.
  const std::shared_ptr<NetworkLoop>& loop() const { return loop_; }

 private:
  Executor& executor_;
  const std::shared_ptr<NetworkLoop> loop_;
};

}  // namespace flyball::transport

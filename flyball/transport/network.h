#pragma once

#include <memory>
#include <string>

#include "flyball/base/executor.h"

namespace flyball::transport {

class NetworkLoop;

/// A thread on which connections are served: one, however many there are. Whatever blocks it blocks
/// them all, so connections that must not wait for others have a Network of their own. Outlives
/// the transports and servers that use it; the destructor waits for it to end.
class Network {
 public:
  /// `name` is the thread's, of which 15 characters are shown.
  explicit Network(Executor& executor, std::string name = "transport/network");
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

#pragma once

#include <chrono>
#include <string>

#include "flyball/base/clock.h"

namespace flyball::transport {

/// Says until when a request may leave: for work that is allowed for a time only, as a leader's is.
/// Asked on the network thread, as late as can be: before the request is put into what is sent, and
/// again before each call that gives bytes of it to the kernel. So neither a queue, nor a full
/// socket, nor a process that is stopped and goes on later lets out what is no longer allowed.
///
/// Any thread; must neither block nor throw.
class WriteFence {
 public:
  virtual ~WriteFence() = default;
  /// How long it will be open, unless somebody moves it meanwhile. Zero or less: it is closed.
  virtual std::chrono::nanoseconds Left() const = 0;
  /// For people, when it is closed: "no longer the leader".
  virtual std::string WhyClosed() const = 0;
  /// A write that has passed was not answered, or with an error that leaves a doubt: the server may
  /// carry it out until then.
  virtual void Unsettled(SteadyTime /*until*/) const {}

  bool IsOpen() const { return Left().count() > 0; }
};

}  // namespace flyball::transport

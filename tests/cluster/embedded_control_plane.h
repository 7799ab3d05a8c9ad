#pragma once

#include <memory>

#include "flyball/base/executor.h"
#include "flyball/base/timers.h"
#include "flyball/sandbox/sandbox.h"
#include "tests/cluster/control_plane.h"

namespace flyball::cluster {

/// The embedded API server in the test's own process, on a socket as the real one is, with its
/// objects in a file. What holds on the real one is to hold on this.
class EmbeddedControlPlane final : public ControlPlane {
 public:
  static Result<std::unique_ptr<EmbeddedControlPlane>> Start(Executor& executor,
                                                             transport::Network& network);
  ~EmbeddedControlPlane() override;

  bool StopApiServer() override;
  Result<> StartApiServer() override;
  Result<> ForgetHistory() override;

 private:
  EmbeddedControlPlane(Executor& executor, transport::Network& network, ScratchFolder folder,
                       ReservedPort port);

  Executor& executor_;
  Timers timers_;
  bool started_ = false;
  std::unique_ptr<sandbox::Sandbox> sandbox_;
};

}  // namespace flyball::cluster

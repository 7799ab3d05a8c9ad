#pragma once

#include <filesystem>
#include <string>

#include "flyball/base/clock.h"
#include "flyball/base/executor.h"
#include "flyball/transport/http_transport.h"
#include "gtest/gtest.h"
#include "tests/cluster/control_plane.h"
#include "tests/cluster/real_control_plane.h"

namespace flyball::cluster {

/// A test against the real thing, or against the embedded API server in its place. All tests of a
/// program share one control plane, since it takes seconds to start; it is started before the first
/// and ended after the last, and then nothing of it may be left (cluster_main.cc). Each test uses
/// namespaces of its own.
class ClusterTest : public testing::Test {
 protected:
  static ControlPlane& plane();
  static bool IsReal();
  /// Of the real kube-apiserver of this program: for a constant's initializer, since that is
  /// started before the first test.
  static bool AddApiServerFlag(std::string flag);
  /// For tests of what only the real one has.
  static RealControlPlane& real_plane();
  static Clock& clock();
  static Executor& executor();
  static transport::Network& network();

  /// Where the processes of this run write to. Its own: a program may run against both control
  /// planes at once.
  static std::filesystem::path logs();

  /// A namespace that no other test uses. Fails the test if there is none to be had.
  static std::string NewNamespace();
};

}  // namespace flyball::cluster

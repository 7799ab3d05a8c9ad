// How long the program kube-controller-manager takes, with upstream's lease times.

#include <csignal>

#include "gtest/gtest.h"
#include "tests/cluster/binary_test.h"

namespace flyball::cluster {
namespace {

using namespace std::chrono_literals;

using ManagerTimedTest = BinaryTest;

TEST_F(ManagerTimedTest, AStandbyTakesOverFromALeaderThatIsToldToEndLongBeforeTheLeaseRunsOut) {
  if (IsUpstream()) GTEST_SKIP() << "it dies where it stands, and the lease has to run out";
  ManagerBinary leader = StartManager("leader");
  ASSERT_NO_FATAL_FAILURE(AwaitHealthy(leader));
  ASSERT_TRUE(Eventually([&] { return !Holder().empty(); })) << leader.log();
  const std::string first = Holder();
  ManagerBinary standby = StartManager("standby");
  ASSERT_NO_FATAL_FAILURE(AwaitHealthy(standby));
  const SteadyTime start = clock().SteadyNow();
  EXPECT_TRUE(leader.process().Stop(clock(), 20s));
  ASSERT_TRUE(Eventually([&] {
    const std::string holder = Holder();
    return !holder.empty() && holder != first;
  })) << standby.log();
  // Who waits looks every 2 s and up to 2.2 times that; a lease that is not given back takes 15 s.
  EXPECT_LT(clock().SteadyNow() - start, 8s) << "the lease was not given back";
}

TEST_F(ManagerTimedTest, AsksSeldomWithCredentialsThatAreWrong) {
  const auto kubeconfig = Must(plane().WriteKubeconfig("wrong", {.token = "nobodys"}));
  const long before = Unauthorized(real_plane());
  ManagerBinary manager = StartManager("wrong-credentials", {}, kubeconfig);
  ASSERT_NO_FATAL_FAILURE(AwaitHealthy(manager));
  EXPECT_TRUE(Eventually([&] { return Unauthorized(real_plane()) > before; })) << manager.log();
  clock().SleepFor(5s);
  const long asked = Unauthorized(real_plane()) - before;
  EXPECT_GE(asked, 2);
  EXPECT_LT(asked, 30);
}

TEST_F(ManagerTimedTest, ASecondSignalEndsItWhileTheApiServerIsSilent) {
  if (IsUpstream()) GTEST_SKIP() << "it dies of the first";
  ManagerBinary manager = StartManager("signals");
  ASSERT_NO_FATAL_FAILURE(AwaitHealthy(manager));
  ASSERT_TRUE(Eventually([&] { return !Holder().empty(); })) << manager.log();
  // What it has to say at the end, nobody answers.
  const pid_t api_server = real_plane().processes().back();
  kill(api_server, SIGSTOP);
  manager.Signal(SIGTERM);
  clock().SleepFor(500ms);
  EXPECT_EQ(manager.process().Describe(), "runs") << manager.log();
  manager.Signal(SIGTERM);
  EXPECT_TRUE(Eventually([&] { return !manager.process().Running(); }, 3s));
  kill(api_server, SIGCONT);
  EXPECT_EQ(manager.process().Describe(), "ended with status 1");
}

}  // namespace
}  // namespace flyball::cluster

#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "flyball/manager/command.h"
#include "flyball/manager/run.h"
#include "flyball/sandbox/kubeconfig_access.h"
#include "gtest/gtest.h"
#include "tests/threads/election_server.h"

namespace flyball::manager {

/// Keeps a port of 127.0.0.1 for whoever listens there with SO_REUSEPORT.
class KeptPort {
 public:
  KeptPort() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const int on = 1;
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    FLYBALL_CHECK(setsockopt(socket_, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)) == 0 &&
                      bind(socket_, generic, size) == 0 &&
                      getsockname(socket_, generic, &size) == 0,
                  "no port is free");
    number_ = ntohs(address.sin_port);
  }
  KeptPort(const KeptPort&) = delete;
  KeptPort& operator=(const KeptPort&) = delete;
  ~KeptPort() { close(socket_); }

  std::uint16_t number() const { return number_; }

 private:
  const int socket_;
  std::uint16_t number_ = 0;
};

/// kube-controller-manager at work, with one controller, in the test's own process.
class ManagerRunFixture : public testing::Test {
 protected:
  /// `lease_flags` are about the lease's times.
  explicit ManagerRunFixture(std::vector<std::string> lease_flags)
      : lease_flags_(std::move(lease_flags)) {}

  void SetUp() override {
    const sandbox::Access access{.url = server_.url()};
    ASSERT_TRUE(access.WriteKubeconfig(kubeconfig_).has_value());
    server_.Start([this] {
      std::vector<std::string> arguments{"--kubeconfig=" + kubeconfig_,
                                         "--controllers=ttl-after-finished-controller",
                                         "--bind-address=127.0.0.1",
                                         "--secure-port=" + std::to_string(port_.number()),
                                         "--permit-port-sharing=true",
                                         "--cert-dir=",
                                         "-v=4"};
      arguments.insert(arguments.end(), lease_flags_.begin(), lease_flags_.end());
      status_ = RunCommand(
          arguments,
          {.out = out_, .err = out_, .log = log_, .clock = server_.clock(), .run = manager::Run});
    });
    ASSERT_NE(log_->AwaitAfter("\"Controller started\" controller=\""), "") << log_->text();
  }
  void TearDown() override {
    blocker_.Release();
    server_.Stop();
    EXPECT_EQ(status_, 0) << log_->text();
  }

  /// Returns the blocked thread's name.
  std::string BlockWatches() {
    // Right after the list a task may still be at it; then the network thread notes what breaks.
    log_->BlockAt("Watch closed, resuming", blocker_, threads::kThreadOfWatches);
    return blocker_.BlockBy([this] { server_.faults().BreakWatches(); });
  }
  std::string BlockPort() {
    log_->BlockAt(threads::kNoteOfKnock, blocker_);
    return blocker_.BlockBy([this] { threads::Knock(port_.number()); });
  }
  int Healthz() {
    const auto response =
        server_.Get("https://127.0.0.1:" + std::to_string(port_.number()), "/healthz");
    EXPECT_TRUE(response.has_value()) << response.error().Describe();
    return response ? response->status : 0;
  }

  const std::vector<std::string> lease_flags_;
  threads::ElectionServer server_;
  threads::Blocker blocker_{server_.clock()};
  const std::shared_ptr<threads::BlockingLogSink> log_ =
      std::make_shared<threads::BlockingLogSink>(server_.clock());
  const KeptPort port_;
  const std::string kubeconfig_ =
      testing::TempDir() + "flyball_run_test_" + std::to_string(port_.number());
  std::ostringstream out_;
  int status_ = -1;
};

}  // namespace flyball::manager

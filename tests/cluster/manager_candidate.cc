// manager_candidate KUBECONFIG IDENTITY LEASE RENEW RETRY (times in milliseconds): stands for
// election on kube-controller-manager's lease, and runs all controllers while it leads, with its
// identity as the user agent. SIGTERM ends it in peace: it drains, gives the lease back, and exits
// with 0.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "flyball/base/executor.h"
#include "flyball/client/access_config.h"
#include "flyball/client/client.h"
#include "flyball/client/credentials.h"
#include "flyball/runtime/leader_elector.h"
#include "flyball/transport/http_transport.h"
#include "tests/cluster/small_manager.h"

namespace flyball::cluster {
namespace {

using namespace std::chrono_literals;
using runtime::LeaderElector;
using runtime::LeadershipFence;

struct Arguments {
  std::string kubeconfig, identity;
  runtime::LeaseTimes times;
};

class Candidate {
 public:
  Candidate(const Arguments& arguments, client::AccessConfig access, Logger log)
      : arguments_(arguments),
        access_(std::move(access)),
        log_(std::move(log)),
        credentials_(*client::Credentials::Create(access_, {.clock = clock_, .log = log_})) {}

  int Run() {
    auto elector = LeaderElector::Create(
        {.rest = election_rest_,
         .clock = clock_,
         .random = std::mt19937_64(std::hash<std::string>()(arguments_.identity)),
         .fence = fence_,
         .log = log_},
        {{"kube-system", "kube-controller-manager"}, arguments_.identity, arguments_.times},
        {.started = [this] { executor_.Start("candidate/manager", [this] { Lead(); }); }});
    if (!elector) {
      log_.Error(elector.error(), "Cannot stand for election");
      return 2;
    }
    executor_.Start("candidate/signals", [this] { WaitForSignal(); });
    const auto ended = (*elector)->Run(stop_.get_token());
    if (ended == LeaderElector::Ended::kLost) return 1;
    return (*elector)->Release() ? 0 : 1;
  }

 private:
  void Lead() {
    if (const auto started = manager_.Start(); !started) {
      log_.Error(started.error(), "Cannot start the controllers");
      _exit(3);
    }
  }

  /// Drains, and only then lets the election end.
  void WaitForSignal() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    const timespec at_once = {};
    while (sigtimedwait(&signals, nullptr, &at_once) != SIGTERM) clock_.SleepFor(2ms);
    if (!manager_.Stop(clock_.DeadlineAfter(10s))) _exit(4);
    stop_.request_stop();
  }

  transport::HttpTransport::Options TransportOptions() {
    transport::HttpTransport::Options options;
    options.server = access_.server;
    options.tls = [this] { return credentials_->Tls(); };
    return options;
  }

  const Arguments& arguments_;
  RealClock clock_;
  ElasticExecutor executor_{clock_};
  transport::Network network_{executor_};
  const client::AccessConfig access_;
  const Logger log_;
  const std::unique_ptr<client::Credentials> credentials_;
  const std::shared_ptr<LeadershipFence> fence_ = std::make_shared<LeadershipFence>(clock_);
  transport::HttpTransport election_transport_{network_, TransportOptions()};
  transport::HttpTransport transport_{network_, TransportOptions()};
  client::RestClient election_rest_{
      {.transport = election_transport_, .clock = clock_, .credentials = credentials_.get()},
      {.user_agent = arguments_.identity + "/election"}};
  SmallManager manager_{{.executor = executor_,
                         .transport = transport_,
                         .access = access_,
                         .gate = fence_,
                         .user_agent = arguments_.identity,
                         .log = log_}};
  std::stop_source stop_;
};

int Main(const Arguments& arguments) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  RealClock clock;
  const Logger log({}, clock);
  auto access = client::ToolAccess(arguments.kubeconfig, {}, {}, log);
  if (!access) {
    log.Error(access.error(), "No kubeconfig");
    return 2;
  }
  Candidate candidate(arguments, *std::move(access), log);
  // As a process that has lost the lease ends: at once, whatever its threads are at.
  _exit(candidate.Run());
}

}  // namespace
}  // namespace flyball::cluster

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(stderr, "usage: manager_candidate KUBECONFIG IDENTITY LEASE RENEW RETRY\n");
    return 2;
  }
  const auto milliseconds = [argv](int i) { return std::chrono::milliseconds(std::atoi(argv[i])); };
  return flyball::cluster::Main(
      {argv[1], argv[2], {milliseconds(3), milliseconds(4), milliseconds(5)}});
}

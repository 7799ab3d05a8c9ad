// election_candidate KUBECONFIG NAMESPACE IDENTITY LEASE RENEW RETRY (times in milliseconds):
// stands for election on the lease "election" and writes ConfigMaps as fast as it can while it
// leads, as a user agent that is called by its identity. Its work asks nobody whether it still
// leads: if it ends in time, that is the fence's doing.
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>

#include "flyball/api/core/v1.h"
#include "flyball/base/executor.h"
#include "flyball/client/access_config.h"
#include "flyball/client/client.h"
#include "flyball/client/credentials.h"
#include "flyball/runtime/leader_elector.h"
#include "flyball/transport/http_transport.h"

namespace flyball::cluster {
namespace {

using namespace std::chrono_literals;
using core::v1::ConfigMap;
using runtime::LeaderElector;
using runtime::LeadershipFence;

struct Arguments {
  std::string kubeconfig, space, identity;
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
        {{arguments_.space, "election"}, arguments_.identity, arguments_.times},
        {.started = [this] { StartWork(); }});
    if (!elector) {
      log_.Error(elector.error(), "Cannot stand for election");
      return 2;
    }
    executor_.Start("candidate/signals", [this] { WaitForSignal(); });
    const auto ended = (*elector)->Run(stop_.get_token());
    if (ended == LeaderElector::Ended::kLost) {
      clock_.SleepFor(1s);  // lint: allow sleep: the work goes on and gets nowhere
      return 1;
    }
    return (*elector)->Release() ? 0 : 1;
  }

 private:
  void StartWork() {
    for (const char* const name : {"first", "second"}) {
      ++working_;
      executor_.Start(std::string("candidate/") + name, [this, name] {
        Work(name);
        --working_;
      });
    }
  }

  void Work(const std::string& name) {
    const auto maps = client::Client(rest_).Of<ConfigMap>();
    ConfigMap map;
    map.metadata.namespace_ = arguments_.space;
    map.metadata.name = name;
    for (int i = 0; !draining_; ++i) {
      map.data["leader"] = arguments_.identity + " " + std::to_string(i);
      const auto patch = client::Patch::Merge(api::Json::Object{
          {"data", api::Json::Object{{"leader", api::Json(map.data["leader"])}}}});
      const auto patched = maps.Patch(api::ObjectKey::Of(map), patch);
      if (!patched && patched.error().code() == ErrorCode::kNotFound)
        std::ignore = maps.Create(map);
      clock_.SleepFor(3ms);
    }
  }

  /// Drains, and only then lets the election end.
  void WaitForSignal() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    const timespec at_once = {};
    while (sigtimedwait(&signals, nullptr, &at_once) != SIGTERM) clock_.SleepFor(2ms);
    draining_ = true;
    while (working_ > 0) clock_.SleepFor(1ms);
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
  client::RestClient rest_{{.transport = transport_,
                            .clock = clock_,
                            .credentials = credentials_.get(),
                            .fence = fence_},
                           {.user_agent = arguments_.identity}};
  std::stop_source stop_;
  std::atomic<bool> draining_ = false;
  std::atomic<int> working_ = 0;
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
  if (argc != 7) {
    std::fprintf(stderr,
                 "usage: election_candidate KUBECONFIG NAMESPACE IDENTITY LEASE RENEW RETRY\n");
    return 2;
  }
  const auto milliseconds = [argv](int i) { return std::chrono::milliseconds(std::atoi(argv[i])); };
  return flyball::cluster::Main(
      {argv[1], argv[2], argv[3], {milliseconds(4), milliseconds(5), milliseconds(6)}});
}

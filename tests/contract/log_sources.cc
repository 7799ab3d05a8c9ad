#include "tests/contract/log_sources.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <stop_token>
#include <string_view>
#include <tuple>
#include <utility>

#include "flyball/base/deterministic_executor.h"
#include "flyball/base/log_sink.h"
#include "flyball/base/logging.h"
#include "flyball/base/mutex.h"
#include "flyball/runtime/leader_elected_runner.h"
#include "flyball/runtime/leader_elector.h"
#include "flyball/runtime/leader_health.h"
#include "flyball/runtime/lease_store_fake.h"
#include "flyball/sandbox/sandbox.h"
#include "tests/contract/invocation.h"
#include "tests/faults/incarnation.h"
#include "tests/faults/run.h"
#include "tests/parity/manager_flags.h"

namespace flyball::contract {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using faults::ManagerSetup;
using runtime::FakeLeaseStore;
using runtime::LeaderElector;
using transport::FakeTransport;

/// Everything that there is to be said.
constexpr int kVerbosity = 10;

/// Keeps lines apart: one may hold line breaks.
class LineSink final : public LogSink {
 public:
  void Write(std::string_view line) noexcept override {
    const MutexLock lock(mutex_);
    lines_.emplace_back(line);
  }
  LogLines Take() {
    const MutexLock lock(mutex_);
    return std::exchange(lines_, {});
  }

 private:
  Mutex mutex_;
  LogLines lines_ FLYBALL_GUARDED_BY(mutex_);
};

LogConfig ConfigOf(LogFormat format) { return {.format = format, .verbosity = kVerbosity}; }

// Scenarios.

/// In the middle of a day, since scenarios look back and ahead by hours.
constexpr WallTime kStart =
    WallTime(std::chrono::sys_days{std::chrono::year(2026) / std::chrono::January / 1}) + 12h;

fs::path ScenarioFile(const std::string& name) {
  const fs::path here = fs::path(FLYBALL_CONTRACT) / "scenarios" / (name + ".yaml");
  return fs::exists(here) ? here : fs::path(FLYBALL_SCENARIOS) / (name + ".yaml");
}

Result<LogLines> Play(const std::string& name, LogFormat format) {
  static const auto served = faults::Run::Served();
  FLYBALL_TRY(const parity::Scenario scenario, parity::Scenario::Load(ScenarioFile(name)));
  const auto setup = [&](const std::vector<std::string>& more) {
    return ManagerSetup::FromFlags(parity::WithFlags(
        {"--cluster-cidr=10.244.0.0/16", "--service-cluster-ip-range=10.0.0.0/16"},
        parity::ManagerFlags(scenario.without, more)));
  };
  const auto sink = std::make_shared<LineSink>();
  const faults::Outcome outcome = faults::Run::Play({.scenario = scenario,
                                                     .served = served,
                                                     .log = sink,
                                                     .logging = ConfigOf(format),
                                                     .setup = setup,
                                                     .heartbeats = {.lease = parity::kLeaseRenewal},
                                                     .least_settle = parity::kLeastSettle,
                                                     .invariants = false,
                                                     .start = kStart});
  if (!outcome.record) return std::unexpected(outcome.record.error());
  return sink->Take();
}

// Elections.

FakeTransport::Answer Unreachable() {
  return FakeTransport::Answer::Broken({ErrorCode::kUnavailable, "no route"});
}

FakeTransport::Answer Refused(int code, const std::string& reason) {
  return FakeTransport::Answer::Of(
      code,
      R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"no","reason":")" +
          reason + R"(","code":)" + std::to_string(code) + "}",
      {{"content-type", "application/json"}});
}

/// As the server says it of the lease, and not of a path.
FakeTransport::Answer Absent() {
  return FakeTransport::Answer::Of(
      404,
      R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"no","reason":"NotFound",)"
      R"("details":{"name":"shop","group":"coordination.k8s.io","kind":"leases"},"code":404})",
      {{"content-type", "application/json"}});
}

/// A server with room for one lease, and those who want it.
class Election {
 public:
  using Fault = std::function<std::optional<FakeTransport::Answer>(const std::string& method)>;

  explicit Election(const LogFormat format, const std::shared_ptr<LineSink>& sink)
      : log_(ConfigOf(format), executor_.clock(), sink) {}
  ~Election() { executor_.Abandon(); }
  Election(const Election&) = delete;
  Election& operator=(const Election&) = delete;

  void HeldByAnother(std::int32_t seconds) {
    store_.Change([&](runtime::Lease& lease) {
      lease.metadata.namespace_ = "kube-system";
      lease.metadata.name = "shop";
      lease.spec.holderIdentity = "other";
      lease.spec.leaseDurationSeconds = seconds;
      lease.spec.renewTime = api::MicroTime(executor_.clock().WallNow());
    });
  }
  void Befall(Fault fault) { fault_ = std::move(fault); }

  /// A candidate, which gives the lease back when it is stopped.
  void Stand() {
    executor_.Start("candidate", [this] {
      const auto elector = LeaderElector::Create(Deps(), Options(), {});
      if (!elector) return;
      const auto ended = (*elector)->Run(stop_.get_token());
      if (ended == LeaderElector::Ended::kStopped) std::ignore = (*elector)->Release();
    });
  }
  /// The same with something to do while it leads.
  void StandWithWork() {
    executor_.Start("tenure", [this] {
      runtime::LeaderElectedRunner runner(
          executor_, log_,
          {.lock =
               runtime::LeaderElectedRunner::Lock{
                   .deps = Deps(), .options = Options(), .health = health_},
           .make_runnable = [](const auto&) { return std::make_unique<Idle>(); }});
      std::ignore = runner.Run(stop_.get_token());
    });
  }

  void RunFor(std::chrono::nanoseconds span) { std::ignore = executor_.RunFor(span); }
  void Stop() {
    stop_.request_stop();
    RunFor(20s);
  }

 private:
  class Idle final : public runtime::Runnable {
   public:
    Result<> Start(const std::stop_token& /*stop*/) override { return {}; }
    bool Stop(SteadyTime /*deadline*/) override { return true; }
  };

  LeaderElector::Deps Deps() {
    return {.rest = rest_,
            .clock = executor_.clock(),
            .random = [] { return std::uint64_t{0}; },
            .log = log_};
  }
  static LeaderElector::Options Options() {
    return {.lease = {"kube-system", "shop"}, .identity = "me"};
  }

  DeterministicExecutor executor_{1};
  const Logger log_;
  FakeLeaseStore store_;
  Fault fault_;
  FakeTransport transport_{[this](const transport::Request& request) {
    if (fault_) {
      if (auto answer = fault_(request.method)) return *std::move(answer);
    }
    return store_.Handle(request);
  }};
  client::RestClient rest_{{.transport = transport_, .clock = executor_.clock()}, {}};
  runtime::LeaderHealth health_{20s};
  std::stop_source stop_;
};

Election::Fault AllUnreachable() {
  return [](const std::string&) { return Unreachable(); };
}

/// What a write is answered, and what a read is, if anything but what is there.
Election::Fault On(int write_code, const std::string& write_reason,
                   std::optional<FakeTransport::Answer> read = std::nullopt) {
  return [=](const std::string& method) -> std::optional<FakeTransport::Answer> {
    return method == "GET" ? read : Refused(write_code, write_reason);
  };
}

Result<LogLines> Elections(LogFormat format) {
  const auto sink = std::make_shared<LineSink>();
  {
    Election won(format, sink);
    won.Stand();
    won.RunFor(5s);
    won.Stop();
  }
  {
    Election waiting(format, sink);
    waiting.HeldByAnother(15);
    waiting.Stand();
    waiting.RunFor(5s);
    waiting.Stop();
  }
  {
    Election lost(format, sink);
    lost.Stand();
    lost.RunFor(1s);
    lost.Befall(AllUnreachable());
    lost.RunFor(30s);
  }
  {
    Election not_created(format, sink);
    not_created.Befall(On(403, "Forbidden"));
    not_created.Stand();
    not_created.RunFor(5s);
    not_created.Stop();
  }
  {
    Election not_taken_over(format, sink);
    not_taken_over.HeldByAnother(1);
    not_taken_over.Befall(On(409, "Conflict"));
    not_taken_over.Stand();
    not_taken_over.RunFor(10s);
    not_taken_over.Stop();
  }
  // What may become of a release.
  for (const Election::Fault& fault :
       {On(403, "Forbidden"), On(409, "Conflict", Unreachable()), On(409, "Conflict", Absent())}) {
    Election kept(format, sink);
    kept.Stand();
    kept.RunFor(1s);
    kept.Befall(fault);
    kept.Stop();
  }
  return sink->Take();
}

Result<LogLines> Tenures(LogFormat format) {
  const auto sink = std::make_shared<LineSink>();
  {
    Election stopped(format, sink);
    stopped.StandWithWork();
    stopped.RunFor(5s);
    stopped.Stop();
  }
  {
    Election lost(format, sink);
    lost.StandWithWork();
    lost.RunFor(5s);
    lost.Befall(AllUnreachable());
    lost.RunFor(60s);
  }
  return sink->Take();
}

// Managers that do not come to do anything.

void StartManager(controllers::Settings settings, std::chrono::nanoseconds cut_off,
                  const LogFormat format, const std::shared_ptr<LineSink>& sink) {
  DeterministicExecutor executor(1, {.max_steps = 10'000'000});
  Timers timers(executor);
  sandbox::Sandbox sandbox({executor, timers}, {.seed = 1});
  const auto server =
      sandbox.server().As({.name = "system:kube-controller-manager", .groups = {"system:masters"}});
  std::mt19937_64 dice(1);
  faults::Incarnation manager{{.executor = executor,
                               .server = *server,
                               .random = [&dice] { return dice(); },
                               .setup = ManagerSetup::OfAll(std::move(settings)),
                               .log = Logger(ConfigOf(format), executor.clock(), sink)}};
  executor.Start("people", [&] {
    sandbox::Fault cut = manager.line().On(sandbox::Requests::All()).Disconnect();
    executor.Start("repair", [&executor, cut, cut_off]() mutable {
      executor.clock().SleepFor(cut_off);
      cut.Lift();
    });
    std::ignore = manager.Start();
    manager.Stop();
  });
  std::ignore = executor.RunFor(1h);
}

Result<LogLines> Starts(LogFormat format) {
  const auto sink = std::make_shared<LineSink>();
  controllers::Settings settings;
  settings.node_ipam.allocate = true;
  settings.node_ipam.cluster_ranges = "nonsense";
  StartManager(std::move(settings), 5s, format, sink);
  return sink->Take();
}

// Command lines.

Result<LogLines> Commands(LogFormat format) {
  const std::string flag =
      std::string("--logging-format=") + (format == LogFormat::kJson ? "json" : "text");
  LogLines lines;
  for (const char* const more :
       {"--feature-gates=DynamicResourceAllocation=true", "--controllers=nonsense"}) {
    std::string log = Invoke({flag, "-v=1", more}).log;
    for (std::size_t end = 0; (end = log.find('\n')) != std::string::npos; log.erase(0, end + 1)) {
      lines.push_back(log.substr(0, end + 1));
    }
  }
  return lines;
}

}  // namespace

Result<LogLines> LogOf(const std::string& source, LogFormat format) {
  if (source == "election") return Elections(format);
  if (source == "tenure") return Tenures(format);
  if (source == "start") return Starts(format);
  if (source == "command") return Commands(format);
  return Play(source, format);
}

}  // namespace flyball::contract

#include "tests/faults/incarnation.h"

#include <sstream>
#include <string_view>
#include <utility>

namespace flyball::faults {
namespace {

/// What upstream's flags have by default.
constexpr runtime::LeaseTimes kTimes{};

}  // namespace

Incarnation::Incarnation(const Deps& deps)
    : deps_(deps),
      process_(deps.executor.NewProcess()),
      line_(deps.server, deps.executor),
      own_(*OpenIdentity(nullptr)) {
  runner_.emplace(*process_, deps_.log, RunnerOptions());
}

Incarnation::Runner::Options Incarnation::RunnerOptions() {
  Runner::Options options = {
      .make_runnable = [this](auto fence) { return MakeHost(std::move(fence)); },
      .started =
          [this] {
            const MutexLock lock(mutex_);
            started_ = true;
            changed_.NotifyAll();
          }};
  if (deps_.candidate.empty()) return options;
  options.lock.emplace(
      Runner::Lock{.deps = {.rest = own_->rest(),
                            .clock = process_->clock(),
                            .random = deps_.random,
                            .log = deps_.log},
                   .options = {.lease = Lease(), .identity = deps_.candidate, .times = kTimes},
                   .health = health_});
  return options;
}

std::unique_ptr<manager::ControllerHost> Incarnation::MakeHost(
    std::shared_ptr<const transport::WriteFence> fence) {
  fence_ = std::move(fence);
  auto host = std::make_unique<manager::ControllerHost>(
      manager::ControllerHost::Deps{
          .executor = *process_,
          .timers = timers_,
          .own = *own_,
          .open_identity =
              [this](const controllers::Entry& /*entry*/) { return OpenIdentity(fence_); },
          .random = deps_.random,
          .metrics = metrics_,
          .log = deps_.log},
      manager::ControllerHost::Options{.controllers = deps_.setup.controllers,
                                       .settings = deps_.setup.settings});
  host_ = host.get();
  return host;
}

Result<std::unique_ptr<runtime::ClientIdentity>> Incarnation::OpenIdentity(
    std::shared_ptr<const transport::WriteFence> fence) {
  return runtime::ClientIdentity::Create({.executor = *process_,
                                          .transport = line_,
                                          .random = deps_.random,
                                          .fence = std::move(fence),
                                          .log = deps_.log},
                                         {}, {.user_agent = "kube-controller-manager"});
}

Result<> Incarnation::Start() {
  process_->Start("manager", [this] {
    auto ended = runner_->Run(stop_.get_token());
    const MutexLock lock(mutex_);
    ended_ = std::move(ended);
    changed_.NotifyAll();
  });
  {
    MutexLock lock(mutex_);
    deps_.executor.clock().Wait(lock, changed_,
                                [this]() FLYBALL_REQUIRES(mutex_) { return started_ || ended_; });
    if (!started_) {
      return *ended_ ? Fail(ErrorCode::kCancelled, "ended before it had begun") : *ended_;
    }
  }
  if (host_->informers().WaitForSync(stop_.get_token())) return {};
  return Fail(ErrorCode::kCancelled, "ended before its caches were there");
}

void Incarnation::Stop() {
  stop_.request_stop();
  static_cast<void>(WaitUntilEnded(SteadyTime::max()));
  runner_.reset();  // which waits for controllers that did not end in time
}

bool Incarnation::WaitUntilEnded(SteadyTime deadline) {
  MutexLock lock(mutex_);
  return deps_.executor.clock().WaitUntil(
      lock, changed_, deadline, [this]() FLYBALL_REQUIRES(mutex_) { return ended_.has_value(); });
}

std::vector<std::string> Incarnation::Holds() const {
  constexpr std::string_view kMetric = "flyball_own_write_holds{controller=\"";
  std::vector<std::string> holds;
  std::istringstream lines(metrics_.Text());
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(kMetric) || line.ends_with(" 0")) continue;
    line.erase(0, kMetric.size());
    const auto end = line.find('"');
    holds.push_back(line.substr(0, end) + ":" + line.substr(line.rfind(' ')));
  }
  return holds;
}

}  // namespace flyball::faults

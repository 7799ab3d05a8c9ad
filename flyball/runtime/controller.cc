#include "flyball/runtime/controller.h"

#include <algorithm>
#include <exception>

#include "flyball/base/mutex.h"

namespace flyball::runtime {
namespace {

class SilentEventRecorder final : public EventRecorder {
 public:
  void Record(Occurrence /*occurrence*/) override {}
};

std::unique_ptr<EventRecorder> MakeRecorder(const MakeEventRecorder& make,
                                            const std::string& component) {
  if (make == nullptr) return std::make_unique<SilentEventRecorder>();
  return make(component);
}

}  // namespace

/// One thing that is done again and again. It has a thread only while it is.
class Controller::Periodic : public std::enable_shared_from_this<Periodic> {
 public:
  Periodic(Deps deps, std::string name, std::chrono::nanoseconds interval,
           std::function<void(const std::stop_token&)> run)
      : deps_(std::move(deps)),
        name_(std::move(name)),
        interval_(interval),
        run_(std::move(run)),
        timer_(deps_.timers, [this] { Begin(); }) {}

  void Start() { timer_.FireBy(deps_.timers.clock().SteadyNow()); }

  void RequestStop() { stop_.request_stop(); }

  bool Stop(SteadyTime deadline) {
    RequestStop();
    timer_.Cancel();
    MutexLock lock(mutex_);
    return deps_.executor.clock().WaitUntil(
        lock, ended_, deadline, [this]() FLYBALL_REQUIRES(mutex_) { return !running_; });
  }

 private:
  void Begin() {
    {
      MutexLock lock(mutex_);
      if (stop_.stop_requested()) return;
      running_ = true;
    }
    deps_.executor.Start(name_, [self = shared_from_this()] { self->RunOnce(); });
  }

  void RunOnce() {
    try {
      run_(stop_.get_token());
    } catch (const std::exception& thrown) {
      deps_.log.Error("Observed a panic", {{"panic", thrown.what()}, {"task", name_}});
    }
    if (!stop_.stop_requested()) timer_.FireBy(deps_.timers.clock().DeadlineAfter(interval_));
    {
      MutexLock lock(mutex_);
      running_ = false;
    }
    ended_.NotifyAll();
  }

  const Deps deps_;
  const std::string name_;
  const std::chrono::nanoseconds interval_;
  const std::function<void(const std::stop_token&)> run_;
  std::stop_source stop_;
  Mutex mutex_;
  CondVar ended_;
  bool running_ FLYBALL_GUARDED_BY(mutex_) = false;
  Timer timer_;
};

Controller::Controller(std::string name, Deps deps, const std::string& event_component)
    : name_(std::move(name)),
      deps_(std::move(deps)),
      events_(MakeRecorder(deps_.events, event_component.empty() ? name_ : event_component)),
      consistency_({.executor = deps_.executor,
                    .timers = deps_.timers,
                    .controller = name_,
                    .metrics = deps_.metrics,
                    .log = deps_.log}) {}

Controller::~Controller() { static_cast<void>(Stop(SteadyTime::max())); }

void Controller::Every(const std::string& task, std::chrono::nanoseconds interval,
                       std::function<void(const std::stop_token&)> run) {
  periodics_.push_back(
      std::make_shared<Periodic>(deps_, name_ + "/" + task, interval, std::move(run)));
}

bool Controller::WaitForSync(const std::stop_token& stop) const {
  const bool synced =
      std::ranges::all_of(reads_, [&](const auto& read) { return read.cache->WaitForSync(stop); });
  if (synced && on_start_) on_start_(stop);
  return synced && !stop.stop_requested();
}

std::vector<QueueReport> Controller::Queues(std::size_t most_keys) const {
  std::vector<QueueReport> reports;
  for (const auto& queue : queues_) reports.push_back(queue->Report(most_keys));
  return reports;
}

std::string Controller::NameOf(const cache::InformerCore& cache) const {
  const auto found =
      std::ranges::find(reads_, &cache, [](const ReadCache& read) { return read.cache.get(); });
  return found == reads_.end() ? std::string() : found->resource;
}

ControllerTrace Controller::Trace(std::span<const std::string> keys) const {
  ControllerTrace trace{.name = name_, .running = running_};
  for (const ReadCache& read : reads_) {
    const cache::SyncState state = read.cache->state();
    trace.caches.push_back({.resource = read.resource,
                            .synced = state.synced,
                            .resource_version = read.cache->resource_version(),
                            .problem = state.problem ? state.problem->message() : std::string()});
  }
  for (const auto& queue : queues_) trace.queues.push_back(queue->Trace(keys));
  return trace;
}

void Controller::Start() {
  running_ = true;
  for (const auto& queue : queues_) queue->Start();
  for (const auto& periodic : periodics_) periodic->Start();
}

void Controller::RequestStop() {
  running_ = false;
  for (const auto& periodic : periodics_) periodic->RequestStop();
  for (const auto& queue : queues_) queue->RequestStop();
}

bool Controller::Stop(SteadyTime deadline) {
  RequestStop();
  handlers_.clear();
  bool all = true;
  for (const auto& periodic : periodics_) all = periodic->Stop(deadline) && all;
  if (on_stop_) on_stop_();
  for (const auto& queue : queues_) all = queue->Stop(deadline) && all;
  return all;
}

}  // namespace flyball::runtime

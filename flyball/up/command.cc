#include "flyball/up/command.h"

#include <unistd.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <stop_token>
#include <utility>

#include "flyball/base/executor.h"
#include "flyball/base/heap_trim.h"
#include "flyball/base/log_sink.h"
#include "flyball/base/logging.h"
#include "flyball/base/mutex.h"
#include "flyball/base/termination_signals.h"
#include "flyball/base/timers.h"
#include "flyball/manager/controller_settings.h"
#include "flyball/transport/network.h"
#include "flyball/up/cluster_status_watcher.h"
#include "flyball/up/local_cluster.h"
#include "flyball/up/manifests.h"
#include "flyball/up/tour.h"
#include "flyball/up/view/plain_lines.h"
#include "flyball/up/view/screen.h"
#include "flyball/up/view/terminal.h"

namespace flyball::up {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kLookEvery{200};
/// Time goes on, and rates fall, without anything that happens.
constexpr std::chrono::seconds kDrawAtLeastEvery{1};

/// What is said, for one thread to show and another to tell.
class Caption {
 public:
  void Set(const std::string& sentence) {
    MutexLock lock(mutex_);
    sentence_ = sentence;
  }
  std::string Get() const {
    MutexLock lock(mutex_);
    return sentence_;
  }

 private:
  mutable Mutex mutex_;
  std::string sentence_ FLYBALL_GUARDED_BY(mutex_);
};

/// The process. What is declared first ends last.
class Up {
 public:
  Up(const Options& options, std::ostream& out) : options_(options), out_(out) {}

  Result<> Run();

 private:
  Result<> Start();
  void SayHow();
  Result<> ApplyFiles();
  /// Until it is asked to end, or there is nothing more to show.
  void Show();
  void StartTour();

  const Options& options_;
  std::ostream& out_;
  RealClock clock_;
  ElasticExecutor executor_{clock_};
  TerminationSignals signals_;  // before there are threads
  Timers timers_{executor_};
  HeapTrimmer heap_trimmer_{timers_};
  transport::Network network_{executor_};
  std::stop_source stop_;
  Caption caption_;
  std::unique_ptr<LocalCluster> cluster_;

  Mutex mutex_;
  CondVar toured_;
  bool touring_ FLYBALL_GUARDED_BY(mutex_) = false;
  Result<> tour_ FLYBALL_GUARDED_BY(mutex_) = {};
};

/// Nobody watches a screen for the minute after which a node is given up elsewhere.
LocalCluster::NodePulse PulseOfATour() {
  using std::chrono::milliseconds;
  using std::chrono::seconds;
  LocalCluster::NodePulse pulse{.lease = seconds(1)};
  pulse.lifecycle.monitor.grace.running = seconds(4);
  pulse.lifecycle.monitor.period = milliseconds(500);
  return pulse;
}

Result<LocalCluster::Options> ClusterOptions(const Options& options) {
  LocalCluster::Options cluster{.data_dir = options.data_dir,
                                .port = options.port,
                                .nodes = options.api_only || options.no_nodes ? 0 : options.nodes};
  cluster.timings.start = options.pod_startup / 2;
  cluster.timings.ready = options.pod_startup - cluster.timings.start;
  cluster.timings.spread = 0.5;
  if (!options.tour.empty()) cluster.pulse = PulseOfATour();
  if (options.api_only) return cluster;
  manager::Options manager;
  manager.generic.controllers = options.controllers;
  if (const auto problems = manager.Check(); !problems.empty()) {
    return Fail(ErrorCode::kInvalid, "--controllers: " + problems.Text());
  }
  cluster.controllers = manager::EnabledControllers(manager);
  return cluster;
}

Result<> Up::Start() {
  signals_.Watch(executor_, [this](int) { stop_.request_stop(); });
  FLYBALL_TRY(LocalCluster::Options cluster, ClusterOptions(options_));
  FLYBALL_TRY(cluster_,
              LocalCluster::Start({.executor = executor_, .timers = timers_, .network = network_},
                                  std::move(cluster), stop_.get_token()));
  FLYBALL_TRY(cluster_->access().WriteKubeconfig(options_.kubeconfig));
  return {};
}

void Up::SayHow() {
  const std::string file = fs::absolute(options_.kubeconfig).string();
  out_ << "A cluster is up at " << cluster_->access().url << ".\n\n"
       << "  export KUBECONFIG=" << file << "\n"
       << "  kubectl get pods --all-namespaces\n\n"
       << "Ctrl-C ends it" << (options_.data_dir.empty() ? ", and all in it.\n\n" : ".\n\n")
       << std::flush;
}

Result<> Up::ApplyFiles() {
  for (const std::string& path : options_.apply) {
    FLYBALL_TRY(const auto objects, ReadManifests(path));
    FLYBALL_TRY(ApplyManifests(cluster_->client(), objects));
  }
  return {};
}

void Up::StartTour() {
  {
    MutexLock lock(mutex_);
    touring_ = true;
  }
  executor_.Start("tour", [this] {
    Tour tour({.clock = clock_,
               .client = cluster_->client(),
               .say = [this](const std::string& sentence) { caption_.Set(sentence); }},
              {.application = options_.tour,
               .lose_a_node = options_.nodes > 1 && cluster_->Has("node-lifecycle-controller") &&
                              cluster_->Has("taint-eviction-controller")});
    auto ended = tour.Run(stop_.get_token());
    if (!ended) caption_.Set("The tour failed: " + ended.error().Describe());
    if (!ended || options_.once) stop_.request_stop();
    MutexLock lock(mutex_);
    tour_ = std::move(ended);
    touring_ = false;
    toured_.NotifyAll();
  });
}

void Up::Show() {
  const auto informers = cluster_->NewInformers();
  ClusterStatusWatcher watcher({.clock = clock_,
                                .informers = *informers,
                                .controllers = [this] { return cluster_->Controllers(); },
                                .server = cluster_->access().url});
  informers->Start();
  std::optional<Terminal> terminal = options_.plain ? std::nullopt : Terminal::Open();
  PlainLines lines;
  std::string said;
  ScreenSize size;
  std::optional<SteadyTime> drawn;
  for (bool last = false; !last;) {
    // Once more after the end, so that the last of it is seen.
    last = !clock_.SleepFor(kLookEvery, stop_.get_token());
    const bool due = !drawn || clock_.SteadyNow() - *drawn > kDrawAtLeastEvery;
    const bool resized = terminal && terminal->size() != size;
    if (!last && !due && !resized && !watcher.changed()) continue;
    drawn = clock_.SteadyNow();
    Snapshot snapshot = watcher.Look();
    snapshot.caption = caption_.Get();
    if (terminal) {
      size = terminal->size();
      terminal->Draw(DrawScreen(snapshot, size));
      continue;
    }
    if (snapshot.caption != said) out_ << "==> " << (said = snapshot.caption) << "\n";
    for (const std::string& line : lines.Tell(snapshot)) out_ << line << "\n";
    out_ << std::flush;
  }
}

Result<> Up::Run() {
  FLYBALL_TRY(Start());
  SayHow();
  FLYBALL_TRY(ApplyFiles());
  if (!options_.tour.empty()) StartTour();
  Show();
  MutexLock lock(mutex_);
  clock_.Wait(lock, toured_, [this]() FLYBALL_REQUIRES(mutex_) { return !touring_; });
  return tour_;
}

}  // namespace

Result<> Run(const Options& options, std::ostream& out) { return Up(options, out).Run(); }

}  // namespace flyball::up

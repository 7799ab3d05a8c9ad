// `manager_bench FOLDER [SECONDS]`: what kube-controller-manager costs when there is nothing to do.
// Upstream's and ours run one after the other on one real control plane, with the command line of
// kubeadm and the controllers that we have. FOLDER is for logs.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include "benchmarks/connection.h"
#include "flyball/api/coordination/v1.h"
#include "flyball/api/core/v1.h"
#include "tests/cluster/build_paths.h"
#include "tests/cluster/manager_binary.h"
#include "tests/cluster/our_controllers.h"
#include "tests/cluster/process_usage.h"
#include "tests/cluster/real_control_plane.h"

namespace flyball::bench {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;
using cluster::ProcessUsage;
using cluster::UsageOf;
using Seconds = std::chrono::duration<double>;

/// Until caches are filled, and what is done once is done.
constexpr auto kSettling = 15s;

struct Figures {
  double start_ms = 0;  ///< from exec to healthy
  double resident_mb = 0;
  double peak_mb = 0;
  double cpu_ms_per_second = 0;
};

class ManagerBench {
 public:
  ManagerBench(fs::path folder, std::chrono::seconds idle)
      : folder_(std::move(folder)), idle_(idle) {}

  Result<> Run() {
    const auto programs = cluster::Programs::Find(cluster::ProgramsFile());
    if (!programs) return Fail(ErrorCode::kNotFound, "needs what `ctest -R cluster.build` makes");
    FLYBALL_TRY(plane_, cluster::RealControlPlane::Start(clock_, network_,
                                                         {.programs = *programs, .logs = folder_}));
    FLYBALL_TRY(const auto kubeconfig,
                plane_->WriteKubeconfig("admin", {.token = plane_->admin_token()}));
    FLYBALL_TRY(admin_, Connection::Open(network_, kubeconfig.string()));
    FLYBALL_TRY(const Figures theirs, Measure(programs->manager, "upstream.log"));
    FLYBALL_TRY(const Figures ours, Measure(cluster::ManagerProgram(), "ours.log"));
    Print(theirs, ours);
    return {};
  }

 private:
  Result<> AwaitHealthy(cluster::ManagerBinary& manager) {
    const SteadyTime deadline = clock_.DeadlineAfter(60s);
    while (!manager.Healthy()) {
      if (!manager.process().Running() || clock_.SteadyNow() > deadline) {
        return Fail(ErrorCode::kUnavailable, "it is not healthy:\n" + manager.log());
      }
      clock_.SleepFor(1ms);
    }
    return {};
  }

  /// It leads and works if a new namespace gets its account.
  Result<> AwaitWork() {
    FLYBALL_TRY(const std::string space, plane_->NewNamespace());
    const auto accounts = admin_->client().Of<core::v1::ServiceAccount>();
    const SteadyTime deadline = clock_.DeadlineAfter(60s);
    while (!accounts.Get({space, "default"})) {
      if (clock_.SteadyNow() > deadline) return Fail(ErrorCode::kTimeout, "it does nothing");
      clock_.SleepFor(20ms);
    }
    return admin_->client().Of<core::v1::Namespace>().Delete({"", space});
  }

  Result<Figures> Measure(const fs::path& program, const char* log) {
    // Who led before was killed, and would be waited for.
    (void)admin_->client().Of<coordination::v1::Lease>().Delete(
        {"kube-system", "kube-controller-manager"});
    Figures figures;
    const SteadyTime start = clock_.SteadyNow();
    FLYBALL_TRY(
        auto manager,
        cluster::ManagerBinary::Start(
            *plane_, clock_, network_,
            {.program = program, .log = folder_ / log, .flags = {cluster::ControllersFlag()}}));
    FLYBALL_TRY(AwaitHealthy(manager));
    figures.start_ms = Seconds(clock_.SteadyNow() - start).count() * 1000;
    FLYBALL_TRY(AwaitWork());
    clock_.SleepFor(kSettling);

    const ProcessUsage before = UsageOf({manager.process().pid()});
    clock_.SleepFor(idle_);
    const ProcessUsage after = UsageOf({manager.process().pid()});
    if (!manager.process().Running()) return Fail(ErrorCode::kUnavailable, manager.log());
    figures.resident_mb = after.resident_mb;
    figures.peak_mb = after.peak_mb;
    figures.cpu_ms_per_second =
        (after.cpu_seconds - before.cpu_seconds) * 1000 / Seconds(idle_).count();
    return figures;
  }

  void Print(const Figures& theirs, const Figures& ours) const {
    const auto row = [](const char* what, double their, double our, const char* goal = "") {
      std::printf("  %-44s %10.2f %10.2f %8.1fx  %s\n", what, their, our, their / our, goal);
    };
    std::printf("kube-controller-manager, %zu controllers, %lld s of an empty cluster\n",
                controllers::All().size(), static_cast<long long>(idle_.count()));
    std::printf("  %-44s %10s %10s %9s  %s\n", "", "upstream", "ours", "ratio", "goal");
    row("resident memory, MB", theirs.resident_mb, ours.resident_mb, "<= 25 MB");
    row("the most it ever was, MB", theirs.peak_mb, ours.peak_mb);
    row("CPU, ms a second", theirs.cpu_ms_per_second, ours.cpu_ms_per_second, ">= 3x");
    row("from exec to healthy, ms", theirs.start_ms, ours.start_ms);
  }

  const fs::path folder_;
  const std::chrono::seconds idle_;
  RealClock clock_;
  ElasticExecutor executor_{clock_};
  transport::Network network_{executor_};
  std::unique_ptr<cluster::RealControlPlane> plane_;
  std::unique_ptr<Connection> admin_;
};

}  // namespace
}  // namespace flyball::bench

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    std::fprintf(stderr, "usage: manager_bench FOLDER [SECONDS]\n");
    return 2;
  }
  const int seconds = argc == 3 ? std::atoi(argv[2]) : 60;
  flyball::bench::ManagerBench bench(argv[1], std::chrono::seconds(seconds));
  const auto done = bench.Run();
  if (done) return 0;
  std::cerr << "manager_bench: " << done.error().Describe() << "\n";
  return 1;
}

// peer_bench FOLDER [--size=100x20] [...]: what upstream's kube-controller-manager and ours take
// for the same work, one after the other, each on a real control plane with simulated nodes. FOLDER
// is for logs.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "benchmarks/managers/manager_run.h"
#include "benchmarks/managers/peer_table.h"
#include "tests/cluster/our_controllers.h"

namespace flyball::bench {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

struct Options {
  fs::path folder;
  Workload work;
  std::string only;  ///< "upstream", "ours", or empty for both
  std::string controllers = cluster::ControllersFlag();
};

/// As many as hold all pods twice, since those that go are there a while.
int NodesFor(const Workload& work) {
  constexpr int kPodsOfANode = 100;
  int pods = work.deployments * work.pods;
  for (const int others : work.others) pods = std::max(pods, others + 1);
  return 2 * pods / kPodsOfANode + 2;
}

class PeerBench {
 public:
  explicit PeerBench(Options options) : options_(std::move(options)) {}

  Result<> Run() {
    const auto programs = cluster::Programs::Find(FLYBALL_CLUSTER_PROGRAMS);
    if (!programs) return Fail(ErrorCode::kNotFound, "needs what `ctest -R cluster.build` makes");
    PeerCosts costs;
    if (options_.only != "ours") {
      FLYBALL_TRY(costs.theirs, Measure(*programs, programs->manager, "upstream.log"));
    }
    if (options_.only != "upstream") {
      FLYBALL_TRY(costs.ours, Measure(*programs, FLYBALL_MANAGER, "ours.log"));
    }
    std::cout << PeerTable(options_.work, costs);
    return {};
  }

 private:
  /// On a control plane of its own: a server that has worked for a while is slower by a fifth,
  /// which would be to the disadvantage of who comes second.
  Result<RunCosts> Measure(const cluster::Programs& programs, const fs::path& manager,
                           const char* log) {
    FLYBALL_TRY(const auto plane,
                cluster::RealControlPlane::Start(clock_, network_,
                                                 {.programs = programs, .logs = options_.folder}));
    cluster::SimulatedCluster simulated(
        *plane, executor_, network_,
        {.nodes = NodesFor(options_.work),
         .timings = {.start = 100ms, .init = 0ms, .ready = 100ms, .stop = 100ms}});
    cluster::DeploymentFleet::Watch(simulated.informers());
    FLYBALL_TRY(simulated.Start());
    ManagerRun run(
        {.plane = *plane, .simulated = simulated, .executor = executor_, .network = network_},
        {.program = manager,
         .controllers = options_.controllers,
         .log = options_.folder / log,
         .work = options_.work});
    auto costs = run.Run();
    if (!costs) return std::unexpected(costs.error().Wrap((options_.folder / log).string()));
    return costs;
  }

  const Options options_;
  RealClock clock_;
  ElasticExecutor executor_{clock_};
  transport::Network network_{executor_};
};

}  // namespace
}  // namespace flyball::bench

int main(int argc, char** argv) {
  flyball::bench::Options options;
  std::string size = "100x20";
  CLI::App program("Upstream's kube-controller-manager and ours, on the same work.");
  program.add_option("folder", options.folder, "For logs")->required();
  program.add_option("--size", size, "Deployments x pods of each");
  program.add_option("--others", options.work.others, "Beside how many one deployment is touched")
      ->delimiter(',');
  program.add_option("--touches", options.work.touches, "How often");
  program.add_option("--only", options.only, "One side")
      ->check(CLI::IsMember({"upstream", "ours"}));
  program.add_option("--controllers-flag", options.controllers, "In place of those that we have");
  CLI11_PARSE(program, argc, argv);
  if (std::sscanf(size.c_str(), "%dx%d", &options.work.deployments, &options.work.pods) != 2) {
    std::cerr << "peer_bench: a size is like 100x20\n";
    return 2;
  }
  const auto done = flyball::bench::PeerBench(options).Run();
  if (done) return 0;
  std::cerr << "peer_bench: " << done.error().Describe() << "\n";
  return 1;
}

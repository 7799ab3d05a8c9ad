// peer_bench FOLDER [--phases=jobs,daemonsets:10x20] [...]: what upstream's kube-controller-manager
// and ours take for the same work, one after the other, each on a real control plane with simulated
// nodes. FOLDER is for logs.

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "benchmarks/managers/loads.h"
#include "benchmarks/managers/peer_table.h"
#include "tests/cluster/build_paths.h"
#include "tests/cluster/our_controllers.h"

namespace flyball::bench {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

/// A load that was asked for.
struct Task {
  const Load* load = nullptr;
  Size size;
};

struct Options {
  fs::path folder;
  Stage::Touches touches;
  std::string only;  ///< "upstream", "ours", or empty for both
  fs::path ours = cluster::ManagerProgram();
  std::string controllers = cluster::ControllersFlag();
};

/// "jobs", or "jobs:20x10".
Result<Task> ParseTask(const std::string& text) {
  const std::size_t colon = text.find(':');
  const Load* const load = FindLoad(text.substr(0, colon));
  if (load == nullptr) {
    std::string names;
    for (const Load& one : Loads()) names.append(" ").append(one.name);
    return Fail(ErrorCode::kInvalid, "no phase is called " + text + "; there are:" + names);
  }
  if (colon == std::string::npos) return Task{load, load->size};
  const auto size = Size::Parse(text.substr(colon + 1));
  if (!size) return Fail(ErrorCode::kInvalid, "a size is like 100x20, not " + text);
  return Task{load, *size};
}

class PeerBench {
 public:
  explicit PeerBench(Options options) : options_(std::move(options)) {}

  Result<> RunAll(const std::vector<std::string>& phases) {
    std::vector<Task> tasks;
    for (const std::string& phase : phases) {
      FLYBALL_TRY(const Task task, ParseTask(phase));
      tasks.push_back(task);
    }
    for (const Task& task : tasks) FLYBALL_TRY(Run(task));
    return {};
  }

 private:
  Result<> Run(const Task& task) {
    const auto programs = cluster::Programs::Find(cluster::ProgramsFile());
    if (!programs) return Fail(ErrorCode::kNotFound, "needs what `ctest -R cluster.build` makes");
    for (const std::string_view needed : task.load->controllers) {
      if (options_.controllers.contains(needed)) continue;
      return Fail(ErrorCode::kNotFound, std::string(task.load->name) + " needs the " +
                                            std::string(needed) + ", which we do not have");
    }
    PeerCosts costs;
    if (options_.only != "ours") {
      FLYBALL_TRY(costs.theirs, Measure(task, *programs, programs->manager, "upstream.log"));
    }
    if (options_.only != "upstream") {
      FLYBALL_TRY(costs.ours, Measure(task, *programs, options_.ours, "ours.log"));
    }
    std::cout << PeerTable(*task.load, task.size, options_.touches, costs) << "\n" << std::flush;
    return {};
  }

  /// On a control plane of its own: a server that has worked for a while is slower by a fifth,
  /// which would be to the disadvantage of who comes second.
  Result<RunCosts> Measure(const Task& task, const cluster::Programs& programs,
                           const fs::path& manager, const char* log) {
    constexpr int kMuch = 600;  // pods
    FLYBALL_TRY(const auto plane,
                cluster::RealControlPlane::Start(clock_, network_,
                                                 {.programs = programs, .logs = options_.folder}));
    const Nodes nodes = task.load->nodes(task.size, options_.touches);
    cluster::SimulatedCluster::Options cluster{
        .nodes = nodes.count,
        .timings = {.start = 100ms, .init = 0ms, .ready = 100ms, .stop = 100ms},
        .lease = nodes.heartbeat,
        .attach_volumes = task.load->storage};
    if (task.load->storage) {
      cluster.storage = simulation::StorageTimings{
          .provision = 100ms, .remove = 100ms, .attach = 100ms, .detach = 100ms};
    }
    cluster::SimulatedCluster simulated(*plane, executor_, network_, cluster);
    task.load->watch(simulated.informers());
    FLYBALL_TRY(simulated.Start());
    Stage stage(
        {.plane = *plane, .simulated = simulated, .executor = executor_, .network = network_},
        {.program = manager,
         .controllers = options_.controllers,
         .log = options_.folder / log,
         .touches = options_.touches});
    const auto run = [&]() -> Result<> {
      if (task.size.all() > kMuch) FLYBALL_TRY(stage.WarmUpServer());
      return task.load->run(stage, task.size);
    };
    if (auto done = run(); !done) {
      return std::unexpected(done.error().Wrap((options_.folder / log).string()));
    }
    return std::move(stage.costs());
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
  std::vector<std::string> phases = {"deployments"};
  std::string size;
  CLI::App program("Upstream's kube-controller-manager and ours, on the same work.");
  program.add_option("folder", options.folder, "For logs")->required();
  program
      .add_option("--phases", phases, "What work, each with its size if not the usual: jobs:50x4")
      ->delimiter(',');
  program.add_option("--size", size, "Deployments x pods of each, in place of 100x20");
  program.add_option("--others", options.touches.others, "Beside how many a deployment is touched")
      ->delimiter(',');
  program.add_option("--touches", options.touches.count, "How often");
  program.add_option("--only", options.only, "One side")
      ->check(CLI::IsMember({"upstream", "ours"}));
  program
      .add_option("--ours", options.ours,
                  "Another build of our manager, to compare two commits by `--only ours`")
      ->check(CLI::ExistingFile);
  program.add_option("--controllers-flag", options.controllers, "In place of those that we have");
  CLI11_PARSE(program, argc, argv);
  for (std::string& phase : phases) {
    if (phase == "deployments" && !size.empty()) phase += ":" + size;
  }
  const auto done = flyball::bench::PeerBench(options).RunAll(phases);
  if (done) return 0;
  std::cerr << "peer_bench: " << done.error().Describe() << "\n";
  return 1;
}

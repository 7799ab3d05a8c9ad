// The embedded API server beside kube-apiserver and etcd: `server_bench FOLDER` measures both in
// one run, round by round in turn, and prints a table. FOLDER is for logs and what they write.
// `server_bench simulate [KUBECONFIG]` is a part of that which has a process of its own: simulated
// nodes on that cluster, or on an embedded server in the same process. `server_bench write
// KUBECONFIG` is another part, for profilers.

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/connection.h"
#include "benchmarks/sandbox/simulation_load.h"
#include "benchmarks/sandbox/write_load.h"
#include "flyball/sandbox/sandbox.h"
#include "tests/cluster/build_paths.h"
#include "tests/cluster/process.h"
#include "tests/cluster/process_usage.h"
#include "tests/cluster/real_control_plane.h"

namespace flyball::bench {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;
using cluster::ProcessUsage;
using cluster::UsageOf;
using Seconds = std::chrono::duration<double>;

constexpr int kRounds = 3;
constexpr int kStarts = 10;

/// What every measurement needs.
struct Bench {
  explicit Bench(fs::path its_folder) : folder(std::move(its_folder)) {}
  const fs::path folder;
  RealClock clock;
  ElasticExecutor executor{clock};
  transport::Network network{executor};
  int places = 0;

  fs::path NewPlace() {
    fs::path place = folder / std::to_string(places++);
    fs::remove_all(place);
    fs::create_directories(place);
    return place;
  }
};

/// A server that runs, in however many processes.
struct Server {
  std::unique_ptr<cluster::RealControlPlane> real = {};
  std::optional<cluster::Process> embedded = {};
  std::unique_ptr<Connection> connection = {};
  std::string kubeconfig = {};
  Seconds start = {};  ///< from the first process's beginning until it was ready

  std::vector<pid_t> processes() const {
    return real ? real->processes() : std::vector{embedded->pid()};
  }
};

Result<Server> StartReal(Bench& bench) {
  const auto programs = cluster::Programs::Find(cluster::ProgramsFile());
  if (!programs) return Fail(ErrorCode::kNotFound, "needs what `ctest -R cluster.build` makes");
  Server server;
  const SteadyTime start = bench.clock.SteadyNow();
  FLYBALL_TRY(server.real,
              cluster::RealControlPlane::Start(bench.clock, bench.network,
                                               {.programs = *programs, .logs = bench.NewPlace()}));
  server.start = bench.clock.SteadyNow() - start;
  FLYBALL_TRY(const auto file,
              server.real->WriteKubeconfig("admin", {.token = server.real->admin_token()}));
  server.kubeconfig = file.string();
  FLYBALL_TRY(server.connection, Connection::Open(bench.network, server.kubeconfig));
  return server;
}

enum class Kept : std::uint8_t { kInMemory, kOnDisk };

Result<Server> StartEmbedded(Bench& bench, Kept kept) {
  Server server;
  const fs::path place = bench.NewPlace();
  std::vector<std::string> arguments = {place.string()};
  if (kept == Kept::kOnDisk) arguments.push_back((place / "data").string());
  server.kubeconfig = (place / "kubeconfig").string();
  const SteadyTime start = bench.clock.SteadyNow();
  FLYBALL_TRY(server.embedded,
              cluster::Process::Start(FLYBALL_EMBEDDED_SERVER, arguments, place / "log"));
  while (!fs::exists(server.kubeconfig)) {
    if (bench.clock.SteadyNow() - start > 10s)
      return Fail(ErrorCode::kTimeout, "it does not start");
    bench.clock.SleepFor(1ms);
  }
  FLYBALL_TRY(server.connection, Connection::Open(bench.network, server.kubeconfig));
  if (!server.connection->IsReady()) return Fail(ErrorCode::kUnavailable, "it is not ready");
  server.start = bench.clock.SteadyNow() - start;
  return server;
}

double Median(std::vector<double> values) {
  std::ranges::sort(values);
  return values.empty() ? 0 : values[values.size() / 2];
}

/// The figures of one server, a value a round.
struct Figures {
  std::vector<double> start_ms, writes_per_second, cpu_ms_per_thousand;
  double resident_mb = 0;
};

Result<> MeasureWrites(Server& server, int round, Figures& figures) {
  const ProcessUsage before = UsageOf(server.processes());
  FLYBALL_TRY(const WriteFigures written,
              RunWrites(*server.connection, "round-" + std::to_string(round) + "-", {}));
  const ProcessUsage after = UsageOf(server.processes());
  figures.writes_per_second.push_back(written.writes / written.took.count());
  figures.cpu_ms_per_thousand.push_back((after.cpu_seconds - before.cpu_seconds) * 1e6 /
                                        written.writes);
  figures.resident_mb = after.resident_mb;
  return {};
}

struct SimulationFigures {
  double seconds = 0;
  double cpu_seconds = 0;  ///< of all processes that take part
  double peak_mb = 0;
};

/// In this process.
Result<SimulationFigures> Simulate(const client::Client& client, Executor& executor) {
  FLYBALL_TRY(const Seconds took, RunSimulation(client, executor, {}));
  const ProcessUsage used = UsageOf({getpid()});
  return SimulationFigures{took.count(), used.cpu_seconds, used.peak_mb};
}

Result<SimulationFigures> SimulateOn(const std::string& kubeconfig) {
  RealClock clock;
  ElasticExecutor executor(clock);
  transport::Network network(executor);
  FLYBALL_TRY(const auto connection, Connection::Open(network, kubeconfig));
  return Simulate(connection->client(), executor);
}

Result<SimulationFigures> SimulateEmbedded() {
  sandbox::Sandbox sandbox;
  return Simulate(sandbox.client(), sandbox.executor());
}

/// In a process of its own, so that its memory is its own too.
Result<SimulationFigures> SimulateApart(const std::string& kubeconfig) {
  const std::string command =
      fs::read_symlink("/proc/self/exe").string() + " simulate " + kubeconfig;
  FILE* const out = popen(command.c_str(), "r");
  SimulationFigures figures;
  const int read = out == nullptr ? 0
                                  : std::fscanf(out, "%lf %lf %lf", &figures.seconds,
                                                &figures.cpu_seconds, &figures.peak_mb);
  if (out != nullptr) pclose(out);
  if (read != 3) return Fail(ErrorCode::kIo, "the simulation failed");
  return figures;
}

/// How long it takes to make an empty server in the process, and to drop it, in milliseconds.
double MeasureEmptyServer() {
  constexpr int kTimes = 200;
  RealClock clock;
  std::vector<double> took;
  for (int i = 0; i < kTimes; ++i) {
    const SteadyTime start = clock.SteadyNow();
    std::make_unique<sandbox::Sandbox>().reset();
    took.push_back(std::chrono::duration<double, std::milli>(clock.SteadyNow() - start).count());
  }
  return Median(std::move(took));
}

/// All that is compared.
struct Comparison {
  Figures theirs, in_memory, on_disk;
  SimulationFigures their_pods, our_pods;
  double empty_ms = 0;
};

Result<> CompareWrites(Bench& bench, Comparison& comparison) {
  FLYBALL_TRY(Server real, StartReal(bench));
  comparison.theirs.start_ms.push_back(real.start.count() * 1000);
  for (int i = 0; i < kStarts; ++i) {
    FLYBALL_TRY(const Server started, StartEmbedded(bench, Kept::kOnDisk));
    comparison.on_disk.start_ms.push_back(started.start.count() * 1000);
  }
  FLYBALL_TRY(Server memory, StartEmbedded(bench, Kept::kInMemory));
  FLYBALL_TRY(Server disk, StartEmbedded(bench, Kept::kOnDisk));
  for (int round = 0; round < kRounds; ++round) {
    FLYBALL_TRY(MeasureWrites(real, round, comparison.theirs));
    FLYBALL_TRY(MeasureWrites(memory, round, comparison.in_memory));
    FLYBALL_TRY(MeasureWrites(disk, round, comparison.on_disk));
  }
  return {};
}

Result<> CompareSimulations(Bench& bench, Comparison& comparison) {
  {
    FLYBALL_TRY(const Server real, StartReal(bench));
    comparison.theirs.start_ms.push_back(real.start.count() * 1000);
    FLYBALL_TRY(comparison.their_pods, SimulateApart(real.kubeconfig));
    const ProcessUsage used = UsageOf(real.processes());
    comparison.their_pods.cpu_seconds += used.cpu_seconds;
    comparison.their_pods.peak_mb += used.peak_mb;
  }
  FLYBALL_TRY(comparison.our_pods, SimulateApart(""));
  return {};
}

enum class Better : std::uint8_t { kMore, kLess };

void PrintRow(const char* what, double theirs, double ours, Better better, const char* goal = "") {
  const double ratio = better == Better::kMore ? ours / theirs : theirs / ours;
  std::printf("  %-50s %10.1f %10.1f %8.1fx  %s\n", what, theirs, ours, ratio, goal);
}

void PrintWrites(const char* how, const Figures& theirs, const Figures& ours) {
  std::printf("Pods created and updated over TLS, 64 in flight, 50 watchers, 5 see each; %s\n",
              how);
  PrintRow("writes a second", Median(theirs.writes_per_second), Median(ours.writes_per_second),
           Better::kMore, ">= 5x");
  PrintRow("the server's CPU, ms for 1,000 writes", Median(theirs.cpu_ms_per_thousand),
           Median(ours.cpu_ms_per_thousand), Better::kLess);
  PrintRow("the server's resident memory after that, MB", theirs.resident_mb, ours.resident_mb,
           Better::kLess);
}

void Print(const Comparison& comparison) {
  std::printf("The embedded API server beside kube-apiserver and etcd (without fsync)\n");
  std::printf("  %-50s %10s %10s %9s  %s\n", "", "theirs", "ours", "ratio", "goal");
  const double their_start = Median(comparison.theirs.start_ms);
  PrintRow("from exec to ready, with a folder, ms", their_start,
           Median(comparison.on_disk.start_ms), Better::kLess, "< 100 ms");
  PrintRow("an empty one in the process, made and dropped, ms", their_start, comparison.empty_ms,
           Better::kLess, "< 2 ms");
  PrintWrites("in memory", comparison.theirs, comparison.in_memory);
  PrintWrites("on disk", comparison.theirs, comparison.on_disk);
  const SimulationFigures& theirs = comparison.their_pods;
  const SimulationFigures& ours = comparison.our_pods;
  std::printf("10,000 pods on 1,000 simulated nodes, from nothing to Ready\n");
  PrintRow("seconds", theirs.seconds, ours.seconds, Better::kLess, "<= 60 s");
  PrintRow("CPU seconds of all processes", theirs.cpu_seconds, ours.cpu_seconds, Better::kLess);
  PrintRow("peak memory of all processes, MB", theirs.peak_mb, ours.peak_mb, Better::kLess,
           "<= 300 MB");
}

Result<> Compare(const std::string& folder) {
  Bench bench(folder);
  Comparison comparison;
  FLYBALL_TRY(CompareWrites(bench, comparison));
  FLYBALL_TRY(CompareSimulations(bench, comparison));
  comparison.empty_ms = MeasureEmptyServer();
  Print(comparison);
  return {};
}

/// For a profiler's sake.
Result<> WriteOn(const std::string& kubeconfig) {
  RealClock clock;
  ElasticExecutor executor(clock);
  transport::Network network(executor);
  FLYBALL_TRY(const auto connection, Connection::Open(network, kubeconfig));
  const std::string prefix = "load-" + std::to_string(clock.WallNow().time_since_epoch() / 1s);
  for (int round = 0; round < kRounds; ++round) {
    FLYBALL_TRY(const WriteFigures written,
                RunWrites(*connection, prefix + "-" + std::to_string(round) + "-", {}));
    std::printf("%.0f writes a second\n", written.writes / written.took.count());
  }
  return {};
}

Result<> Main(const std::vector<std::string>& arguments) {
  if (arguments[0] == "write" && arguments.size() > 1) return WriteOn(arguments[1]);
  if (arguments[0] != "simulate") return Compare(arguments[0]);
  FLYBALL_TRY(const auto figures,
              arguments.size() > 1 ? SimulateOn(arguments[1]) : SimulateEmbedded());
  std::printf("%f %f %f\n", figures.seconds, figures.cpu_seconds, figures.peak_mb);
  return {};
}

}  // namespace
}  // namespace flyball::bench

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: server_bench FOLDER | simulate [KUBECONFIG] | write KUBECONFIG\n");
    return 2;
  }
  const auto done = flyball::bench::Main({argv + 1, argv + argc});
  if (done) return 0;
  std::cerr << "server_bench: " << done.error().Describe() << "\n";
  return 1;
}

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
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/sandbox/connection.h"
#include "benchmarks/sandbox/process_usage.h"
#include "benchmarks/sandbox/simulation_load.h"
#include "benchmarks/sandbox/write_load.h"
#include "flyball/base/timers.h"
#include "flyball/sandbox/api_server.h"
#include "tests/cluster/process.h"
#include "tests/cluster/real_control_plane.h"

namespace flyball::bench {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;
using Seconds = std::chrono::duration<double>;

constexpr int kRounds = 3;

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
  const auto programs = cluster::Programs::Find(FLYBALL_CLUSTER_PROGRAMS);
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
  RealClock clock;
  ElasticExecutor executor(clock);
  Timers timers(executor);
  std::mt19937_64 dice{std::random_device{}()};
  FLYBALL_TRY(const auto server, sandbox::ApiServer::Create(
                                     {executor, timers}, {.random = [&dice] { return dice(); }}));
  const auto transport = server->As({.name = "simulation", .groups = {"system:masters"}});
  client::RestClient rest({.transport = *transport, .clock = clock}, {});
  return Simulate(client::Client(rest), executor);
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
Result<double> MeasureEmptyServer() {
  constexpr int kTimes = 200;
  RealClock clock;
  ElasticExecutor executor(clock);
  Timers timers(executor);
  std::mt19937_64 dice;
  std::vector<double> took;
  for (int i = 0; i < kTimes; ++i) {
    const SteadyTime start = clock.SteadyNow();
    FLYBALL_TRY(auto server, sandbox::ApiServer::Create({executor, timers},
                                                        {.random = [&dice] { return dice(); }}));
    server.reset();
    took.push_back(std::chrono::duration<double, std::milli>(clock.SteadyNow() - start).count());
  }
  return Median(std::move(took));
}

/// A row of the table. `goal` is text, for people.
void PrintRow(const char* what, double theirs, double ours, double ratio, const char* goal) {
  std::printf("  %-50s %10.1f %10.1f %8.1fx  %s\n", what, theirs, ours, ratio, goal);
}

void PrintWrites(const char* how, const Figures& theirs, const Figures& ours) {
  std::printf("Pods created and updated over TLS, 64 in flight, 50 watchers, 5 see each; %s\n",
              how);
  const double their_rate = Median(theirs.writes_per_second);
  const double our_rate = Median(ours.writes_per_second);
  PrintRow("writes a second", their_rate, our_rate, our_rate / their_rate, ">= 5x");
  const double their_cpu = Median(theirs.cpu_ms_per_thousand);
  const double our_cpu = Median(ours.cpu_ms_per_thousand);
  PrintRow("the server's CPU, ms for 1,000 writes", their_cpu, our_cpu, their_cpu / our_cpu, "");
  PrintRow("the server's resident memory after that, MB", theirs.resident_mb, ours.resident_mb,
           theirs.resident_mb / ours.resident_mb, "");
}

Result<> Compare(const std::string& folder) {
  Bench bench(folder);
  Figures theirs;
  Figures in_memory;
  Figures on_disk;
  FLYBALL_TRY(Server real, StartReal(bench));
  theirs.start_ms.push_back(real.start.count() * 1000);
  for (int i = 0; i < 10; ++i) {
    FLYBALL_TRY(const Server started, StartEmbedded(bench, Kept::kOnDisk));
    on_disk.start_ms.push_back(started.start.count() * 1000);
  }
  {
    FLYBALL_TRY(Server memory, StartEmbedded(bench, Kept::kInMemory));
    FLYBALL_TRY(Server disk, StartEmbedded(bench, Kept::kOnDisk));
    for (int round = 0; round < kRounds; ++round) {
      FLYBALL_TRY(MeasureWrites(real, round, theirs));
      FLYBALL_TRY(MeasureWrites(memory, round, in_memory));
      FLYBALL_TRY(MeasureWrites(disk, round, on_disk));
    }
  }
  real = {};
  // Beside one that has nothing in it yet.
  FLYBALL_TRY(real, StartReal(bench));
  theirs.start_ms.push_back(real.start.count() * 1000);
  FLYBALL_TRY(auto their_pods, SimulateApart(real.kubeconfig));
  const ProcessUsage used = UsageOf(real.processes());
  their_pods.cpu_seconds += used.cpu_seconds;
  their_pods.peak_mb += used.peak_mb;
  real = {};
  FLYBALL_TRY(const auto our_pods, SimulateApart(""));
  FLYBALL_TRY(const double empty_ms, MeasureEmptyServer());

  std::printf("The embedded API server beside kube-apiserver and etcd (without fsync)\n");
  std::printf("  %-50s %10s %10s %9s  %s\n", "", "theirs", "ours", "ratio", "goal");
  const double start = Median(theirs.start_ms);
  PrintRow("from exec to ready, with a folder, ms", start, Median(on_disk.start_ms),
           start / Median(on_disk.start_ms), "< 100 ms");
  PrintRow("an empty one in the process, made and dropped, ms", start, empty_ms, start / empty_ms,
           "< 2 ms");
  PrintWrites("in memory", theirs, in_memory);
  PrintWrites("on disk", theirs, on_disk);
  std::printf("10,000 pods on 1,000 simulated nodes, from nothing to Ready\n");
  PrintRow("seconds", their_pods.seconds, our_pods.seconds, their_pods.seconds / our_pods.seconds,
           "<= 60 s");
  PrintRow("CPU seconds of all processes", their_pods.cpu_seconds, our_pods.cpu_seconds,
           their_pods.cpu_seconds / our_pods.cpu_seconds, "");
  PrintRow("peak memory of all processes, MB", their_pods.peak_mb, our_pods.peak_mb,
           their_pods.peak_mb / our_pods.peak_mb, "<= 300 MB");
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
  if (arguments[0] == "write") return WriteOn(arguments.at(1));
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

// with_cluster embedded|real LOGS COMMAND [ARGUMENT...]: runs a command beside an API server with
// simulated nodes, a scheduler and our kube-controller-manager, with KUBECONFIG naming a file that
// lets it do everything there. All but the API server is the same on both, so that what differs is
// the server's doing.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>

#include "flyball/base/executor.h"
#include "flyball/client/client.h"
#include "tests/cluster/build_paths.h"
#include "tests/cluster/embedded_control_plane.h"
#include "tests/cluster/process.h"
#include "tests/cluster/real_control_plane.h"
#include "tests/cluster/simulated_cluster.h"
#include "tests/cluster/written_file.h"
#include "tests/scripted/run_command.h"

namespace flyball::cluster {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

/// Pods are quick: what takes time in a script is waited for, not looked at.
constexpr simulation::Timings kTimings = {.start = 50ms, .ready = 50ms, .run = 100ms, .stop = 50ms};
constexpr auto kPatience = 60s;
/// What scripts wait for. The rest would change what they look at while they look.
constexpr const char* kControllers =
    "--controllers=clusterrole-aggregation-controller,deployment-controller,"
    "garbage-collector-controller,namespace-controller,replicaset-controller,"
    "replicationcontroller-controller,root-ca-certificate-publisher-controller,"
    "serviceaccount-controller";

Result<std::unique_ptr<ControlPlane>> StartPlane(bool real, const fs::path& logs,
                                                 Executor& executor, transport::Network& network) {
  if (!real) return EmbeddedControlPlane::Start(executor, network);
  const auto programs = Programs::Find(ProgramsFile());
  if (!programs) return Fail(ErrorCode::kNotFound, "needs what `ctest -R cluster.build` makes");
  return RealControlPlane::Start(executor.clock(), network, {.programs = *programs, .logs = logs});
}

/// As somebody with all rights: the embedded server has no roles that would give it some.
Result<Process> StartManager(const ControlPlane& plane, const fs::path& kubeconfig,
                             const fs::path& logs) {
  const fs::path authority = plane.folder() / "root.crt";
  FLYBALL_TRY(WriteFile(authority, plane.authority()));
  std::error_code ignored;
  fs::remove(logs / "manager.log", ignored);
  return Process::Start(ManagerProgram(),
                        {"--kubeconfig=" + kubeconfig.string(), "--leader-elect=false",
                         kControllers, "--secure-port=0", "--root-ca-file=" + authority.string()},
                        logs / "manager.log");
}

/// It is at work when what every namespace gets from it is there.
Result<> AwaitManager(const client::Client& client, Process& manager, Clock& clock) {
  const SteadyTime deadline = clock.DeadlineAfter(kPatience);
  while (!client.Of<core::v1::ServiceAccount>().Get({"default", "default"})) {
    if (!manager.Running()) return Fail(ErrorCode::kUnavailable, "manager " + manager.Describe());
    if (clock.SteadyNow() > deadline) return Fail(ErrorCode::kTimeout, "the manager does nothing");
    clock.SleepFor(50ms);
  }
  return {};
}

Result<int> Run(bool real, const fs::path& logs, char** command) {
  RealClock clock;
  ElasticExecutor executor(clock);
  transport::Network network(executor);
  fs::create_directories(logs);
  FLYBALL_TRY(const auto plane, StartPlane(real, logs, executor, network));
  FLYBALL_TRY(const fs::path file,
              plane->WriteKubeconfig("admin", {.token = plane->admin_token()}));
  FLYBALL_TRY(Process manager, StartManager(*plane, file, logs));
  SimulatedCluster nodes(*plane, executor, network, {.timings = kTimings});
  FLYBALL_TRY(nodes.Start());
  FLYBALL_TRY(AwaitManager(nodes.client(), manager, clock));
  setenv("KUBECONFIG", file.c_str(), 1);
  return scripted::RunCommand(command);
}

}  // namespace
}  // namespace flyball::cluster

int main(int argc, char** argv) {
  const std::string_view server = argc > 1 ? argv[1] : "";
  if (argc < 4 || (server != "embedded" && server != "real")) {
    std::fprintf(stderr, "usage: with_cluster embedded|real LOGS COMMAND [ARGUMENT...]\n");
    return 2;
  }
  const auto status = flyball::cluster::Run(server == "real", argv[2], argv + 3);
  if (status) return *status;
  std::cerr << "with_cluster " << server << ": " << status.error().Describe() << "\n";
  return 1;
}

// with_control_plane [--FLAG...] COMMAND [ARGUMENT...]: runs a command beside a real control plane,
// with KUBECONFIG naming a file that lets it do everything there. The flags are kube-apiserver's.
// For tests and benchmarks with other programs, and for trying things.
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flyball/base/executor.h"
#include "tests/cluster/build_paths.h"
#include "tests/cluster/real_control_plane.h"
#include "tests/scripted/run_command.h"

namespace flyball::cluster {
namespace {

int Run(char** command, std::vector<std::string> flags) {
  const auto programs = Programs::Find(ProgramsFile());
  if (!programs) {
    std::fprintf(stderr, "with_control_plane: needs what `ctest -R cluster.build` makes\n");
    return 1;
  }
  RealClock clock;
  ElasticExecutor executor(clock);
  transport::Network network(executor);
  const auto plane = RealControlPlane::Start(clock, network,
                                             {.programs = *programs,
                                              .logs = BuildFolder() / "tests/cluster/logs/beside",
                                              .api_server_flags = std::move(flags)});
  if (!plane) {
    std::cerr << "with_control_plane: " << plane.error().Describe() << "\n";
    return 1;
  }
  const auto file = (*plane)->WriteKubeconfig("admin", {.token = (*plane)->admin_token()});
  if (!file) {
    std::cerr << "with_control_plane: " << file.error().Describe() << "\n";
    return 1;
  }
  setenv("KUBECONFIG", file->c_str(), 1);
  return scripted::RunCommand(command);
}

}  // namespace
}  // namespace flyball::cluster

int main(int argc, char** argv) {
  char** command = argv + 1;
  std::vector<std::string> flags;
  while (*command != nullptr && std::string_view(*command).starts_with("--")) {
    flags.emplace_back(*command++);
  }
  if (argc < 2 || *command == nullptr) {
    std::fprintf(stderr, "usage: with_control_plane [--FLAG...] COMMAND [ARGUMENT...]\n");
    return 2;
  }
  return flyball::cluster::Run(command, std::move(flags));
}

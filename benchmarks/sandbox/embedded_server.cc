// embedded_server FOLDER [DATA]: an embedded API server on a socket, and nothing else in its
// process, so that what it costs can be told. Writes FOLDER/kubeconfig when it serves, and runs
// until it is killed. With DATA it keeps its objects there.

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <iostream>

#include "flyball/sandbox/sandbox.h"

namespace flyball::sandbox {
namespace {

Result<> Serve(const std::filesystem::path& folder, const std::filesystem::path& data) {
  FLYBALL_TRY(const auto sandbox, Sandbox::Create({.folder = data}));
  FLYBALL_TRY(const Access access, sandbox->Listen());
  // Whoever finds it finds it whole.
  FLYBALL_TRY(access.WriteKubeconfig(folder / "kubeconfig.new"));
  std::filesystem::rename(folder / "kubeconfig.new", folder / "kubeconfig");
  for (;;) pause();
}

}  // namespace
}  // namespace flyball::sandbox

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    std::fprintf(stderr, "usage: embedded_server FOLDER [DATA]\n");
    return 2;
  }
  const auto served = flyball::sandbox::Serve(argv[1], argc == 3 ? argv[2] : "");
  std::cerr << "embedded_server: " << served.error().Describe() << "\n";
  return 1;
}

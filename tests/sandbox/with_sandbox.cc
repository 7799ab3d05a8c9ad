// with_sandbox COMMAND [ARGUMENT...]: runs a command beside an embedded API server, with KUBECONFIG
// naming a file that lets it do everything there. For tests with kubectl, and for trying things.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "flyball/sandbox/sandbox.h"
#include "tests/scripted/run_command.h"

namespace flyball::sandbox {
namespace {

Result<int> Run(char** command) {
  FLYBALL_TRY(const auto sandbox, Sandbox::Create({
                                      .changes_kept = 1'000,  // few enough for a test to make more
                                  }));
  FLYBALL_TRY(const Access access, sandbox->Listen());
  std::string file = (std::filesystem::temp_directory_path() / "kubeconfig.XXXXXX").string();
  const int made = mkstemp(file.data());
  if (made < 0) return Fail(ErrorCode::kIo, "cannot make " + file);
  close(made);
  FLYBALL_TRY(access.WriteKubeconfig(file));
  setenv("KUBECONFIG", file.c_str(), 1);
  const int status = scripted::RunCommand(command);
  std::filesystem::remove(file);
  return status;
}

}  // namespace
}  // namespace flyball::sandbox

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: with_sandbox COMMAND [ARGUMENT...]\n");
    return 2;
  }
  const auto status = flyball::sandbox::Run(argv + 1);
  if (status) return *status;
  std::cerr << "with_sandbox: " << status.error().Describe() << "\n";
  return 1;
}

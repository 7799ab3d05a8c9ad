// with_sandbox COMMAND [ARGUMENT...]: runs a command beside an embedded API server, with KUBECONFIG
// naming a file that lets it do everything there. For tests with kubectl, and for trying things.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>

#include "flyball/base/executor.h"
#include "flyball/sandbox/api_server.h"
#include "flyball/serving/certificates.h"
#include "flyball/serving/http_server.h"
#include "tests/scripted/run_command.h"

namespace flyball::sandbox {
namespace {

constexpr char kToken[] = "sandbox-admin";

std::string Kubeconfig(const std::string& url, const std::string& authority_file) {
  return "apiVersion: v1\nkind: Config\ncurrent-context: sandbox\n"
         "clusters:\n- name: sandbox\n  cluster:\n    server: " +
         url + "\n    certificate-authority: " + authority_file +
         "\nusers:\n- name: admin\n  user:\n    token: " + kToken +
         "\ncontexts:\n- name: sandbox\n  context:\n    cluster: sandbox\n    user: admin\n";
}

Result<int> Serve(char** command, ElasticExecutor& executor, Timers& timers) {
  Clock& clock = executor.clock();
  transport::Network network(executor);
  std::mt19937_64 dice{std::random_device{}()};
  FLYBALL_TRY(
      const auto server,
      ApiServer::Create({executor, timers},
                        {.accounts = {{kToken, {.name = "admin", .groups = {"system:masters"}}}},
                         .random = [&dice] { return dice(); }}));
  FLYBALL_TRY(const auto authority,
              serving::CertificateAuthority::Make("sandbox", clock.WallNow()));
  FLYBALL_TRY(auto certificate,
              authority.Issue({.common_name = "server", .names = {"127.0.0.1"}}, clock.WallNow()));
  serving::HttpServer::Options options;
  options.tls = serving::TlsOptions{std::move(certificate)};
  FLYBALL_TRY(const auto http, serving::HttpServer::Listen(network, *server, std::move(options)));

  std::string folder = (std::filesystem::temp_directory_path() / "with_sandbox.XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return Fail(ErrorCode::kIo, "cannot make " + folder);
  const std::string file = folder + "/kubeconfig";
  std::ofstream(folder + "/ca.pem") << authority.self().certificate_pem;
  std::ofstream(file) << Kubeconfig(http->url(), folder + "/ca.pem");
  setenv("KUBECONFIG", file.c_str(), 1);
  const int status = scripted::RunCommand(command);
  std::filesystem::remove_all(folder);
  http->Stop();
  return status;
}

Result<int> Run(char** command) {
  RealClock clock;
  ElasticExecutor executor(clock);
  Timers timers(executor);
  auto status = Serve(command, executor, timers);
  executor.Drain();  // watches end in tasks, and have timers
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

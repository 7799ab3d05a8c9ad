// embedded_server FOLDER [DATA]: an embedded API server on a socket, and nothing else in its
// process, so that what it costs can be told. Writes FOLDER/kubeconfig when it serves, and runs
// until it is killed. With DATA it keeps its objects there.

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <string>

#include "flyball/base/executor.h"
#include "flyball/sandbox/api_server.h"
#include "flyball/serving/certificates.h"
#include "flyball/serving/http_server.h"

namespace flyball::sandbox {
namespace {

constexpr char kToken[] = "bench-admin";

std::string Kubeconfig(const std::string& url, const std::string& authority_file) {
  return "apiVersion: v1\nkind: Config\ncurrent-context: bench\n"
         "clusters:\n- name: bench\n  cluster:\n    server: " +
         url + "\n    certificate-authority: " + authority_file +
         "\nusers:\n- name: admin\n  user:\n    token: " + kToken +
         "\ncontexts:\n- name: bench\n  context:\n    cluster: bench\n    user: admin\n";
}

Result<> Serve(const std::filesystem::path& folder, const std::filesystem::path& data) {
  RealClock clock;
  ElasticExecutor executor(clock);
  Timers timers(executor);
  transport::Network network(executor);
  std::mt19937_64 dice{std::random_device{}()};
  FLYBALL_TRY(
      const auto server,
      ApiServer::Create({executor, timers},
                        {.folder = data,
                         .accounts = {{kToken, {.name = "admin", .groups = {"system:masters"}}}},
                         .random = [&dice] { return dice(); }}));
  FLYBALL_TRY(const auto authority, serving::CertificateAuthority::Make("bench", clock.WallNow()));
  FLYBALL_TRY(auto certificate,
              authority.Issue({.common_name = "server", .names = {"127.0.0.1"}}, clock.WallNow()));
  serving::HttpServer::Options options;
  options.tls = serving::TlsOptions{std::move(certificate)};
  FLYBALL_TRY(const auto http, serving::HttpServer::Listen(network, *server, std::move(options)));

  std::ofstream(folder / "ca.pem") << authority.self().certificate_pem;
  // Whoever finds it finds it whole.
  std::ofstream(folder / "kubeconfig.new") << Kubeconfig(http->url(), folder / "ca.pem");
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

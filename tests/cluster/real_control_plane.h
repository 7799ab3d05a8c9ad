#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/cluster/control_plane.h"
#include "tests/cluster/process.h"

namespace flyball::cluster {

/// The programs that tests/cluster/build makes.
struct Programs {
  std::filesystem::path etcd;
  std::filesystem::path api_server;
  std::filesystem::path manager;  ///< upstream's kube-controller-manager

  /// Reads what the build script printed: a name, a tab and a file each line. Nothing if it could
  /// not build.
  static std::optional<Programs> Find(const std::filesystem::path& list);
};

/// The real thing: etcd and kube-apiserver, as upstream has them, with RBAC and an audit log. They
/// end however the test ends (see Process); their logs stay where the options say. What a manager
/// is given as files is in folder(): authority.{crt,key}, front-proxy.crt, service-accounts.key.
class RealControlPlane final : public ControlPlane {
 public:
  struct Options {
    Programs programs;
    std::filesystem::path logs;  ///< a folder; logs of an earlier run in it are overwritten
    /// Besides the admin: each has a token, and no rights but what a test gives them.
    std::vector<std::string> users = {"alice", "bob", "system:kube-controller-manager"};
    std::vector<std::string> api_server_flags = {};                 ///< these come last, and so win
    std::chrono::nanoseconds patience = std::chrono::seconds(120);  ///< for each start
  };

  /// Returns when the API server says that it is ready.
  static Result<std::unique_ptr<RealControlPlane>> Start(Clock& clock, transport::Network& network,
                                                         Options options);

  /// One JSON event a line, of every request that was answered.
  std::filesystem::path audit_log() const { return options_.logs / "audit.log"; }
  /// The events of requests that were refused for want of rights. Not those that came while the
  /// API server was starting: until it has read the roles it refuses everybody.
  std::vector<std::string> ForbiddenRequests() const;

  bool StopApiServer() override;
  /// Ends it as a power cut would.
  void KillApiServer();
  Result<> StartApiServer() override;
  Result<> ForgetHistory() override;

  /// Where etcd listens, for those who want to see what is kept and how it came to be.
  std::string etcd_url() const;

  /// What must be gone when this is.
  std::vector<pid_t> processes() const;

 private:
  RealControlPlane(Clock& clock, transport::Network& network, Options options, ScratchFolder folder,
                   ReservedPort etcd_port, ReservedPort api_server_port);
  Result<> WriteFiles() const;
  Result<> StartEtcd();
  std::vector<std::string> ApiServerArguments() const;
  Result<> WaitUntilReady();

  const Options options_;
  const ReservedPort etcd_port_;
  std::optional<Process> etcd_;
  std::optional<Process> api_server_;
  std::vector<std::pair<std::string, std::string>> starts_;  // from when until when, as events say
};

/// The last lines of what etcd and the API server had to say, from their folder of logs.
void PrintLogs(const std::filesystem::path& logs, std::ostream& out);

}  // namespace flyball::cluster

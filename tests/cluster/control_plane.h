#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flyball/base/clock.h"
#include "flyball/base/result.h"
#include "flyball/transport/http_transport.h"
#include "tests/cluster/process.h"
#include "tests/cluster/reserved_port.h"
#include "tests/cluster/scratch_folder.h"
#include "tests/scripted/certificates.h"

/// A real Kubernetes control plane for tests: etcd and kube-apiserver, as upstream has them.
namespace flyball::cluster {

using scripted::Identity;

/// The programs that tests/cluster/build makes.
struct Programs {
  std::filesystem::path etcd;
  std::filesystem::path api_server;

  /// Reads what the build script printed: a name, a tab and a file each line. Nothing if it could
  /// not build.
  static std::optional<Programs> Find(const std::filesystem::path& list);
};

/// How a client says who it is: with a token, or with a certificate.
struct Credentials {
  std::string token = {};
  Identity certificate = {};
};

/// etcd and an API server on loopback, with an authority, keys and tokens of their own, RBAC, and
/// an audit log. Nothing else runs: no controllers, no scheduler, no nodes.
///
/// It ends with the test, however the test ends (see Process). Its data goes with it; its logs stay
/// where the options say. For the main thread only.
class ControlPlane {
 public:
  struct Options {
    Programs programs;
    std::filesystem::path logs;  ///< a folder; logs of an earlier run in it are overwritten
    /// Besides the admin: each has a token, and no rights but what a test gives them, or upstream,
    /// which knows the last.
    std::vector<std::string> users = {"alice", "bob", "system:kube-controller-manager"};
    std::vector<std::string> api_server_flags = {};                 ///< these come last, and so win
    std::chrono::nanoseconds patience = std::chrono::seconds(120);  ///< for each start
  };

  /// Returns when the API server says that it is ready.
  static Result<std::unique_ptr<ControlPlane>> Start(Clock& clock, transport::Network& network,
                                                     Options options);
  ~ControlPlane();
  ControlPlane(const ControlPlane&) = delete;
  ControlPlane& operator=(const ControlPlane&) = delete;

  std::string url() const;
  /// Whom to trust, as PEM.
  const std::string& authority() const { return authority_.certificate(); }
  /// A transport's options for this server; with an identity, it shows it as its certificate.
  transport::HttpTransport::Options TransportOptions(const Identity& identity = {}) const;

  /// The token of somebody in system:masters, who may do everything.
  const std::string& admin_token() const { return admin_token_; }
  const std::string& TokenOf(const std::string& user) const { return tokens_.at(user); }
  Identity IssueClientCertificate(const std::string& user,
                                  const std::vector<std::string>& groups = {},
                                  std::chrono::seconds valid_for = std::chrono::hours(1)) const;
  /// Writes a kubeconfig that kubectl would take; it goes when the control plane goes.
  Result<std::filesystem::path> WriteKubeconfig(const std::string& name,
                                                const Credentials& credentials) const;

  /// A fresh namespace: tests share the control plane, and each uses its own.
  Result<std::string> NewNamespace();

  /// One JSON event a line, of every request that was answered.
  std::filesystem::path audit_log() const { return options_.logs / "audit.log"; }
  /// The events of requests that were refused for want of rights.
  std::vector<std::string> ForbiddenRequests() const;

  /// Ends it as an upgrade would: what is under way gets some time. Says whether it was enough.
  bool StopApiServer();
  /// Ends it as a power cut would.
  void KillApiServer();
  /// Where it was before, with the data that it had. Returns when it is ready.
  Result<> StartApiServer();

  /// etcd forgets all but the latest of what it holds: who wants to go on from before that gets
  /// 410.
  Result<> CompactEtcd();

  /// What must be gone when this is: the processes, and the folder.
  std::vector<pid_t> processes() const;
  const std::filesystem::path& folder() const { return folder_.path(); }

 private:
  ControlPlane(Clock& clock, transport::Network& network, Options options, ScratchFolder folder,
               ReservedPort etcd_port, ReservedPort api_server_port);
  Result<> WriteFiles() const;
  Result<> StartEtcd();
  std::vector<std::string> ApiServerArguments() const;
  Result<> WaitUntilReady();

  Clock& clock_;
  transport::Network& network_;
  const Options options_;
  const ScratchFolder folder_;
  const ReservedPort etcd_port_;
  const ReservedPort api_server_port_;
  const scripted::Authority authority_;
  const std::string admin_token_;
  const std::map<std::string, std::string> tokens_;  ///< by user, the admin not among them
  transport::HttpTransport transport_;
  std::optional<Process> etcd_;
  std::optional<Process> api_server_;
};

/// The last lines of what etcd and the API server had to say, from their folder of logs.
void PrintLogs(const std::filesystem::path& logs, std::ostream& out);

}  // namespace flyball::cluster

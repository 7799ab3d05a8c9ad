#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "flyball/base/clock.h"
#include "flyball/base/result.h"
#include "flyball/transport/http_transport.h"
#include "tests/cluster/reserved_port.h"
#include "tests/cluster/scratch_folder.h"
#include "tests/scripted/certificates.h"
#include "tests/scripted/proxy.h"

namespace flyball::cluster {

using scripted::Identity;

/// How a client says who it is: with a token, or with a certificate.
struct Credentials {
  std::string token = {};
  Identity certificate = {};
};

/// An API server on loopback for tests, with an authority, keys and tokens of its own. Nothing else
/// runs: no controllers, no scheduler, no nodes. It ends with the test, and its data with it. For
/// the main thread only.
class ControlPlane {
 public:
  virtual ~ControlPlane();
  ControlPlane(const ControlPlane&) = delete;
  ControlPlane& operator=(const ControlPlane&) = delete;

  std::string url() const;
  /// The same without the scheme: "127.0.0.1:6443".
  std::string address() const;
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
  /// Writes a kubeconfig that kubectl would take; it goes when the control plane goes. With a
  /// proxy, the way to the server is through it.
  Result<std::filesystem::path> WriteKubeconfig(const std::string& name,
                                                const Credentials& credentials,
                                                const scripted::Proxy* through = nullptr) const;

  /// A fresh namespace: tests share the control plane, and each uses its own.
  Result<std::string> NewNamespace();

  /// Ends it as an upgrade would: what is under way gets some time. Says whether it was enough.
  virtual bool StopApiServer() = 0;
  /// Where it was before, with the data that it had. Returns when it is ready.
  virtual Result<> StartApiServer() = 0;

  /// It forgets all but the latest of what it holds: who wants to go on from before that gets 410.
  virtual Result<> ForgetHistory() = 0;

  const std::filesystem::path& folder() const { return folder_.path(); }

 protected:
  ControlPlane(Clock& clock, transport::Network& network, const std::vector<std::string>& users,
               ScratchFolder folder, ReservedPort port);

  const scripted::Authority& issuer() const { return authority_; }
  const std::map<std::string, std::string>& tokens() const { return tokens_; }
  const ReservedPort& port() const { return port_; }

  Clock& clock_;
  transport::Network& network_;

 private:
  const ScratchFolder folder_;
  const ReservedPort port_;
  const scripted::Authority authority_;
  const std::string admin_token_;
  const std::map<std::string, std::string> tokens_;  ///< by user, the admin not among them

 protected:
  transport::HttpTransport transport_;
};

}  // namespace flyball::cluster

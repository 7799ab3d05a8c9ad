#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "flyball/base/clock.h"
#include "flyball/base/result.h"
#include "flyball/transport/fetch.h"
#include "flyball/transport/http_transport.h"
#include "tests/cluster/process.h"
#include "tests/cluster/real_control_plane.h"
#include "tests/cluster/reserved_port.h"

namespace flyball::cluster {

/// kube-controller-manager as a process beside a real control plane: ours or upstream's, which is
/// not for it to know. It has the command line that kubeadm writes, and the identity that kubeadm
/// gives it. One thread, the main one.
class ManagerBinary {
 public:
  struct Options {
    std::filesystem::path program;
    std::filesystem::path log;            ///< overwritten
    std::vector<std::string> flags = {};  ///< these come last, in place of kubeadm's
    /// Empty: with the certificate of system:kube-controller-manager.
    std::filesystem::path kubeconfig = {};
  };

  /// Returns when there is a process, not when it is healthy.
  static Result<ManagerBinary> Start(const RealControlPlane& plane, Clock& clock,
                                     transport::Network& network, Options options);

  std::string url() const;
  /// What its port answers.
  Result<transport::Response> Get(const std::string& target, const Credentials& who = {}) const;
  /// False while nothing answers, too.
  bool Healthy() const;
  std::string log() const;

  Process& process() { return process_; }
  /// Asks it to end once more, whatever it is at.
  void Signal(int signal) const;

 private:
  ManagerBinary(Clock& clock, transport::Network& network, std::filesystem::path log,
                ReservedPort port, Process process)
      : clock_(&clock),
        network_(&network),
        log_(std::move(log)),
        port_(std::move(port)),
        process_(std::move(process)) {}

  Clock* clock_;
  transport::Network* network_;
  std::filesystem::path log_;
  ReservedPort port_;
  Process process_;
};

/// The flags that kubeadm v1.37 has a manager started with, in its order, with the files of this
/// control plane.
std::vector<std::string> KubeadmFlags(const RealControlPlane& plane,
                                      const std::filesystem::path& kubeconfig);

}  // namespace flyball::cluster

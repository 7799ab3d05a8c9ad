#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/cluster/manager_binary.h"
#include "tests/cluster/real_control_plane.h"
#include "tests/scripted/proxy.h"

namespace flyball::cluster {

/// Two managers that stand for election, each with its own way to the API server, and all that can
/// break around them: they are killed, their connections are cut, their network is gone, the API
/// server dies. For the main thread only.
class Breakage {
 public:
  struct Deps {
    RealControlPlane& plane;
    Executor& executor;
    std::mt19937& random;
    /// Starts a manager of that name, who reaches the API server as the kubeconfig says.
    std::function<ManagerBinary(const std::string& name, const std::filesystem::path& kubeconfig)>
        start;
    /// Does for so long what goes on whatever is broken.
    std::function<void(std::chrono::nanoseconds)> meanwhile;
  };
  explicit Breakage(Deps deps);

  /// Starts the managers that do not run.
  Result<> Revive();
  /// Breaks the next thing, and revives who died of it: each kind of thing once, then any.
  Result<> BreakNext();
  bool EachHasBroken() const { return count_ >= kinds_.size(); }

  /// Managers that ended by a signal that was not ours. One that lost its lease ends, as it must.
  const std::vector<std::string>& crashes() const { return crashes_; }
  /// What broke, and how often.
  std::string Describe() const;

 private:
  /// A manager, and its own way to the API server.
  struct Candidate {
    Candidate(std::string its_name, Executor& executor, std::string target)
        : name(std::move(its_name)), proxy(executor, {.target = std::move(target)}) {}
    std::string name;
    scripted::Proxy proxy;
    std::optional<ManagerBinary> manager = std::nullopt;
    bool killed = false;  ///< by us
  };

  Result<> KillManager();
  Result<> CutConnections();
  Result<> Isolate(void (scripted::Proxy::*how)());
  Result<> KillApiServer();
  Result<> RestartApiServer();

  void NoteEnd(Candidate& one);
  int Below(int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(deps_.random); }
  Candidate& Any() {
    return candidates_[static_cast<std::size_t>(Below(static_cast<int>(candidates_.size())))];
  }

  const Deps deps_;
  const std::vector<std::pair<const char*, std::function<Result<>()>>> kinds_;
  std::deque<Candidate> candidates_;
  std::size_t count_ = 0;
  std::map<std::string, int> broken_;
  std::vector<std::string> crashes_;
  int started_ = 0;
  int given_up_ = 0;
};

}  // namespace flyball::cluster

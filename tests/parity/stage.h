#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flyball/base/executor.h"
#include "flyball/client/discovery.h"
#include "flyball/simulation/scheduler.h"
#include "flyball/simulation/simulated_nodes.h"
#include "tests/cluster/manager_binary.h"
#include "tests/cluster/real_control_plane.h"
#include "tests/parity/mirror.h"
#include "tests/parity/record.h"
#include "tests/parity/scenario.h"

namespace flyball::parity {

/// Where scenarios are played: a control plane, simulated nodes with a scheduler, and one manager.
/// For the main thread only.
class Stage {
 public:
  struct Deps {
    Executor& executor;
    transport::Network& network;
  };
  struct Options {
    cluster::Programs programs;
    std::filesystem::path manager;
    std::filesystem::path logs;
  };

  /// Returns when the manager is at work.
  static Result<std::unique_ptr<Stage>> Open(const Deps& deps, const Options& options);
  ~Stage();

  /// What came of each, by name: first those that go side by side, then the others one by one.
  using Records = std::map<std::string, Result<Record>>;
  Records Play(const std::vector<Scenario>& scenarios);

  /// Of anybody, for want of rights.
  std::vector<std::string> ForbiddenRequests() const { return plane_->ForbiddenRequests(); }

 private:
  Stage(const Deps& deps, Options options, std::unique_ptr<cluster::RealControlPlane> plane);
  runtime::Controller::Deps Harness();
  Result<> StartNodes();
  void AddNodes();
  Result<> RenewNodes();
  Result<> AwaitNodes();
  Result<> StartManager(const std::vector<std::string>& more_flags);
  Result<> RestartManager(const std::vector<std::string>& more_flags);
  Result<> AwaitManager();
  void PlayTogether(const std::vector<const Scenario*>& scenarios, Records& records);
  Result<Record> PlayOne(const Scenario& scenario);
  std::vector<std::pair<std::string, std::string>> TextsOf(const Scenario& scenario) const;

  /// Somebody with all rights, and with a name of their own in what they write.
  struct Identity {
    Identity(const Stage& stage, const Deps& deps, const std::string& user);
    transport::HttpTransport transport;
    client::RestClient rest;
    client::Client client{rest};
  };

  const Deps deps_;
  const Options options_;
  Timers timers_;
  const std::unique_ptr<cluster::RealControlPlane> plane_;
  Identity people_;
  Identity simulation_;
  client::RestMapper mapper_;
  Mirror mirror_;
  cache::InformerFactory informers_;
  std::unique_ptr<simulation::SimulatedNodes> nodes_;
  std::unique_ptr<runtime::Controller> scheduler_;
  std::optional<cluster::ManagerBinary> manager_;
  std::vector<std::string> without_;  // controllers that the scenario that is alone does without
  bool as_usual_ = true;              // the manager has no more flags than for everybody
  bool gives_ranges_ = false;         // one of the managers of a scenario gives ranges to nodes
};

}  // namespace flyball::parity

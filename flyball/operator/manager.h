#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "flyball/base/metrics.h"
#include "flyball/base/result.h"
#include "flyball/runtime/controller.h"

namespace flyball {

/// Who an operator is, and what it sees.
struct ManagerOptions {
  /// Of the operator: whose the fields are that it applies, in its user agent, and of its lease.
  std::string name;
  /// What it may see; empty: all namespaces.
  std::string namespace_ = {};
};

/// What an operator consists of: its controllers, what they count, and what others may ask of its
/// health. It says nothing of the API server: Run() (run.h) has it work on a cluster, a test kit in
/// a test.
///
///   Manager manager({.name = "website-operator"});
///   ControllerBuilder<Website>(manager, "website").Owns<Deployment>().Reconcile(Reconcile);
///
/// Filled by one thread, before it runs.
class Manager {
 public:
  using MakeController =
      std::function<std::unique_ptr<runtime::Controller>(const runtime::Controller::Deps& deps)>;
  using Check = std::function<Result<>()>;
  struct NamedCheck {
    std::string name;
    Check check;
  };
  struct NamedController {
    std::string name;
    MakeController make;
  };

  explicit Manager(ManagerOptions options) : options_(std::move(options)) {}
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  const ManagerOptions& options() const { return options_; }

  /// Adds a controller, which is made when it is to run, and perhaps again later. Most are
  /// described by a ControllerBuilder, which calls this.
  void Add(std::string name, MakeController make) {
    controllers_.push_back({std::move(name), std::move(make)});
  }
  /// Whether the process is to be left alive, at /healthz.
  void AddHealthCheck(std::string name, Check check) {
    health_checks_.push_back({std::move(name), std::move(check)});
  }
  /// Whether it does its work, at /readyz, besides having its caches filled.
  void AddReadyCheck(std::string name, Check check) {
    ready_checks_.push_back({std::move(name), std::move(check)});
  }

  /// For what an author wants counted, at /metrics.
  MetricRegistry& metrics() { return metrics_; }

  const std::vector<NamedController>& controllers() const { return controllers_; }
  const std::vector<NamedCheck>& health_checks() const { return health_checks_; }
  const std::vector<NamedCheck>& ready_checks() const { return ready_checks_; }

 private:
  const ManagerOptions options_;
  MetricRegistry metrics_;
  std::vector<NamedController> controllers_;
  std::vector<NamedCheck> health_checks_;
  std::vector<NamedCheck> ready_checks_;
};

}  // namespace flyball

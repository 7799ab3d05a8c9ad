#include <map>
#include <set>
#include <string>

#include "benchmarks/managers/loads.h"
#include "flyball/api/core/v1.h"
#include "flyball/api/discovery/v1.h"
#include "tests/cluster/many_requests.h"

namespace flyball::bench {
namespace {

using cluster::DeploymentFleet;
using core::v1::Pod;
using core::v1::Service;
using discovery::v1::EndpointSlice;

/// Services in front of deployments, and the first pod of each, which comes and goes.
class ServiceLoad {
 public:
  ServiceLoad(Stage& stage, std::string space, const Size& size)
      : stage_(stage), space_(std::move(space)), size_(size) {}

  Result<> CreateServices() const {
    const auto services = stage_.client().Of<Service>().Async();
    return cluster::ForAll(size_.count, [&](int number) {
      Service service;
      service.metadata.namespace_ = space_;
      service.metadata.name = DeploymentFleet::NameOf(number);
      service.spec.selector = {{"app", DeploymentFleet::NameOf(number)}};
      service.spec.ports.emplace_back().port = 80;
      return services.Create(service);
    });
  }

  /// Finds a pod of each deployment, which are there.
  Result<> ChoosePods() {
    FLYBALL_TRY(const auto pods, stage_.client().Of<Pod>().ListIn(space_));
    std::map<std::string, std::string> first;
    for (const Pod& pod : pods.items) {
      const std::string* const app = pod.metadata.labels.find("app");
      if (app != nullptr) first.emplace(*app, pod.metadata.name);
    }
    for (const auto& [app, pod] : first) chosen_.push_back(pod);
    return {};
  }
  Result<> SetReady(bool ready) const {
    const auto pods = stage_.client().Of<Pod>().Async();
    const client::Patch patch{client::PatchType::kMerge,
                              std::string(R"({"metadata":{"annotations":{)") +
                                  R"("simulation.flyball.dev/ready":)" +
                                  (ready ? "null" : R"("false")") + "}}}"};
    return cluster::ForAll(static_cast<int>(chosen_.size()), [&](int number) {
      return pods.Patch({space_, chosen_[static_cast<std::size_t>(number)]}, patch);
    });
  }

  /// Until so many endpoints of each service are ready.
  Result<> AwaitReady(int each) const {
    const int wanted = each * size_.count;
    return stage_.Await(Stage::kPatience, "not all endpoints are as their pods are",
                        [&] { return ReadyEndpoints() == wanted; });
  }

 private:
  int ReadyEndpoints() const {
    int ready = 0;
    const auto slices = stage_.informers().Of<EndpointSlice>().lister();
    for (const auto& slice : slices.InNamespace(space_)) {
      for (const auto& endpoint : slice->endpoints) {
        ready += endpoint.conditions.ready.value_or(false) ? 1 : 0;
      }
    }
    return ready;
  }

  Stage& stage_;
  const std::string space_;
  const Size size_;
  std::vector<std::string> chosen_;
};

}  // namespace

Result<> RunServices(Stage& stage, const Size& size) {
  constexpr int kFlaps = 3;
  FLYBALL_TRY(stage.StartManager());
  FLYBALL_TRY(const std::string space, stage.NewSpace());
  const DeploymentFleet fleet = FleetIn(stage, space, size.count, size.each);
  FLYBALL_TRY(fleet.Create("registry.example.com/app:1"));
  FLYBALL_TRY(fleet.AwaitComplete(Stage::kPatience));

  ServiceLoad load(stage, space, size);
  stage.Begin();
  FLYBALL_TRY(load.CreateServices());
  FLYBALL_TRY(load.AwaitReady(size.each));
  stage.Note("create the services");

  FLYBALL_TRY(load.ChoosePods());
  stage.Begin();
  for (int i = 0; i < kFlaps; ++i) {
    FLYBALL_TRY(load.SetReady(false));
    FLYBALL_TRY(load.AwaitReady(size.each - 1));
    FLYBALL_TRY(load.SetReady(true));
    FLYBALL_TRY(load.AwaitReady(size.each));
  }
  stage.Note("a pod of each goes and comes, three times");

  FLYBALL_TRY(stage.MeasureRestartAndEnd(space));
  return stage.StopManager();
}

}  // namespace flyball::bench

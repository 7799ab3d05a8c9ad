#include "tests/cluster/deployment_fleet.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "flyball/api/json.h"
#include "flyball/api/kubelet_views.h"
#include "tests/cluster/many_requests.h"

namespace flyball::cluster {
namespace {

using namespace std::chrono_literals;
using apps::v1::Deployment;
using apps::v1::ReplicaSet;

constexpr const char* kMark = "example.com/mark";

client::Patch ImagePatch(const std::string& image) {
  using api::Json;
  const Json container = Json::Object{{"name", "main"}, {"image", image}};
  const Json pod = Json::Object{{"spec", Json::Object{{"containers", Json::Array{container}}}}};
  return client::Patch::Strategic(Json::Object{{"spec", Json::Object{{"template", pod}}}});
}

client::Patch MarkPatch(const std::string& mark) {
  using api::Json;
  const Json annotations = Json::Object{{kMark, mark}};
  return client::Patch::Merge(
      Json::Object{{"metadata", Json::Object{{"annotations", annotations}}}});
}

}  // namespace

void DeploymentFleet::Watch(cache::InformerFactory& informers) {
  informers.Of<Deployment>();
  informers.Of<ReplicaSet>();
  informers.Of<views::KubeletPod>();
}

Deployment DeploymentFleet::Describe(int number, const std::string& image) const {
  Deployment made;
  made.metadata.namespace_ = space_;
  made.metadata.name = NameOf(number);
  made.spec.replicas = shape_.pods;
  made.spec.selector = meta::v1::LabelSelector();
  made.spec.selector->matchLabels = {{"app", NameOf(number)}};
  made.spec.template_.metadata.labels = {{"app", NameOf(number)}, {"tier", "front"}};
  auto& container = made.spec.template_.spec.containers.emplace_back();
  container.name = "main";
  container.image = image;
  for (const char* const name : {"POSTGRES_HOST", "LOG_LEVEL", "FEATURES"}) {
    auto& variable = container.env.emplace_back();
    variable.name = name;
    variable.value = "a value of usual length";
  }
  container.resources.requests["cpu"] = *api::Quantity::Parse("10m");
  container.resources.requests["memory"] = *api::Quantity::Parse("16Mi");
  if (shape_.adjust) shape_.adjust(number, made);
  return made;
}

Result<> DeploymentFleet::Create(const std::string& image, int first) const {
  const auto deployments = deps_.client.Of<Deployment>().Async();
  return ForAll(shape_.deployments - first,
                [&](int number) { return deployments.Create(Describe(first + number, image)); });
}

Result<> DeploymentFleet::CreateOne(int number, const std::string& image) const {
  FLYBALL_TRY(deps_.client.Of<Deployment>().Create(Describe(number, image)));
  return {};
}

Result<> DeploymentFleet::Roll(const std::string& image) const {
  const auto deployments = deps_.client.Of<Deployment>().Async();
  const client::Patch patch = ImagePatch(image);
  return ForAll(shape_.deployments,
                [&](int number) { return deployments.Patch({space_, NameOf(number)}, patch); });
}

Result<> DeploymentFleet::Touch(int number, const std::string& mark) const {
  const auto sets = deps_.informers.Of<ReplicaSet>().lister();
  std::vector<api::ObjectKey> own;
  for (const auto& set : sets.InNamespace(space_)) {
    if (!set->metadata.name.starts_with(NameOf(number) + "-")) continue;
    own.push_back({space_, set->metadata.name});
  }
  FLYBALL_TRY(deps_.client.Of<Deployment>().Patch({space_, NameOf(number)}, MarkPatch(mark)));
  const auto is_marked = [&](const api::ObjectKey& key) {
    const auto set = sets.Get(key);
    const std::string* const found = set ? set->metadata.annotations.find(kMark) : nullptr;
    return found != nullptr && *found == mark;
  };
  const SteadyTime deadline = deps_.clock.DeadlineAfter(30s);
  while (!std::ranges::any_of(own, is_marked)) {
    if (deps_.clock.SteadyNow() > deadline) {
      return Fail(ErrorCode::kTimeout, NameOf(number) + " does not get its mark");
    }
    deps_.clock.SleepFor(1ms);
  }
  return {};
}

bool DeploymentFleet::IsComplete(const Deployment& deployment) {
  const int wanted = deployment.spec.replicas.value_or(1);
  const apps::v1::DeploymentStatus& status = deployment.status;
  return status.observedGeneration >= deployment.metadata.generation &&
         status.updatedReplicas == wanted && status.replicas == wanted &&
         status.availableReplicas == wanted;
}

int DeploymentFleet::Complete() const {
  const auto all = deps_.informers.Of<Deployment>().lister().InNamespace(space_);
  return static_cast<int>(
      std::ranges::count_if(all, [](const auto& one) { return IsComplete(*one); }));
}

int DeploymentFleet::PodCount() const {
  return static_cast<int>(
      deps_.informers.Of<views::KubeletPod>().lister().InNamespace(space_).size());
}

Result<> DeploymentFleet::AwaitComplete(std::chrono::nanoseconds patience) const {
  const SteadyTime deadline = deps_.clock.DeadlineAfter(patience);
  // The caches may not show yet what was asked for last.
  FLYBALL_TRY(const auto list, deps_.client.Of<Deployment>().ListIn(space_));
  std::map<std::string, std::int64_t> generations;
  std::int64_t pods = 0;
  for (const Deployment& one : list.items) {
    generations[one.metadata.name] = one.metadata.generation;
    pods += one.spec.replicas.value_or(1);
  }
  const auto deployments = deps_.informers.Of<Deployment>().lister();
  const auto is_done = [&] {
    return PodCount() == pods && std::ranges::all_of(generations, [&](const auto& wanted) {
             const auto one = deployments.Get({space_, wanted.first});
             return one && one->metadata.generation >= wanted.second && IsComplete(*one);
           });
  };
  while (!is_done()) {
    if (deps_.clock.SteadyNow() > deadline) {
      return Fail(ErrorCode::kTimeout, "not all rollouts are complete: " + Progress());
    }
    deps_.clock.SleepFor(20ms);
  }
  return {};
}

std::string DeploymentFleet::Progress() const {
  std::string text = std::to_string(Complete()) + " of " + std::to_string(shape_.deployments) +
                     " deployments, " + std::to_string(PodCount()) + " pods";
  int named = 0;
  for (const auto& one : deps_.informers.Of<Deployment>().lister().InNamespace(space_)) {
    if (IsComplete(*one) || ++named > 5) continue;
    text += "; " + one->metadata.name + ": generation " + std::to_string(one->metadata.generation) +
            " seen " + std::to_string(one->status.observedGeneration) + ", wants " +
            std::to_string(one->spec.replicas.value_or(1)) + ", has " +
            std::to_string(one->status.replicas) + ", new " +
            std::to_string(one->status.updatedReplicas) + ", available " +
            std::to_string(one->status.availableReplicas);
  }
  return text;
}

}  // namespace flyball::cluster

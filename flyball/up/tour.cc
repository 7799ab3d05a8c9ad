#include "flyball/up/tour.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "flyball/api/apps/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/up/manifests.h"
#include "flyball/up/onlooker.h"

namespace flyball::up {
namespace {

using apps::v1::Deployment;
using core::v1::Pod;

constexpr std::chrono::milliseconds kLookEvery{100};

bool IsRolledOut(const Deployment& deployment) {
  return RolloutOf(deployment).state == Rollout::State::kDone;
}

/// A version that is another: the last part of the image's name, counted on.
std::string NewerImage(const std::string& image) {
  return image.substr(0, image.find(':')) + ":next";
}

}  // namespace

Result<> Tour::Run(const std::stop_token& stop) {
  stop_ = stop;
  for (const auto step : {&Tour::RollOut, &Tour::LoseAPod, &Tour::RollToANewVersion}) {
    FLYBALL_TRY((this->*step)());
    if (!deps_.clock.SleepFor(options_.pause, stop_)) break;
  }
  Say(stop_.stop_requested() ? "The tour was stopped" : "That was the tour; the cluster is yours");
  return {};
}

Result<> Tour::RollOut() {
  Say("An application is applied: its Deployment makes a ReplicaSet, which makes pods");
  FLYBALL_TRY(const auto objects, ReadManifests(options_.application));
  FLYBALL_TRY(ApplyManifests(deps_.client, objects));
  return AwaitRollouts("the first rollout");
}

Result<> Tour::LoseAPod() {
  FLYBALL_TRY(const auto pods, deps_.client.Of<Pod>().ListIn(""));
  const auto owned = std::ranges::find_if(
      pods.items, [](const Pod& pod) { return !pod.metadata.ownerReferences.empty(); });
  if (owned == pods.items.end()) return {};
  Say("Pod " + owned->metadata.name + " is deleted: its ReplicaSet makes another");
  FLYBALL_TRY(deps_.client.Of<Pod>().Delete(api::ObjectKey::Of(*owned)));
  return AwaitRollouts("the pod's successor");
}

Result<> Tour::RollToANewVersion() {
  FLYBALL_TRY(const auto deployments, deps_.client.Of<Deployment>().ListIn(""));
  for (const Deployment& deployment : deployments.items) {
    if (deployment.spec.template_.spec.containers.empty()) continue;
    const core::v1::Container& first = deployment.spec.template_.spec.containers.front();
    const std::string image = NewerImage(first.image);
    Say("Deployment " + deployment.metadata.name + " is rolled to " + image +
        ": a second ReplicaSet grows while the first shrinks");
    api::Json container = api::Json::Object{{"name", first.name}, {"image", image}};
    api::Json spec = api::Json::Object{{"containers", api::Json::Array{std::move(container)}}};
    api::Json pods = api::Json::Object{{"spec", std::move(spec)}};
    const api::Json patch =
        api::Json::Object{{"spec", api::Json::Object{{"template", std::move(pods)}}}};
    FLYBALL_TRY(deps_.client.Of<Deployment>().Patch(api::ObjectKey::Of(deployment),
                                                    client::Patch::Strategic(patch)));
  }
  return AwaitRollouts("the new version");
}

Result<> Tour::AwaitRollouts(const std::string& step) {
  const SteadyTime deadline = deps_.clock.DeadlineAfter(options_.patience);
  // What has just been changed has to be noticed first.
  for (deps_.clock.SleepFor(kLookEvery, stop_); !stop_.stop_requested();
       deps_.clock.SleepFor(kLookEvery, stop_)) {
    FLYBALL_TRY(const auto deployments, deps_.client.Of<Deployment>().ListIn(""));
    if (std::ranges::all_of(deployments.items, IsRolledOut)) return {};
    if (deps_.clock.SteadyNow() > deadline) {
      return Fail(ErrorCode::kTimeout, step + " takes too long");
    }
  }
  return {};
}

}  // namespace flyball::up

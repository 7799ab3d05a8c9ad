#include "flyball/controllers/ephemeral_volume/plan.h"

#include <algorithm>

#include "flyball/api/protobuf_decode.h"
#include "flyball/controllers/common/pod_claims.h"

namespace flyball::controllers::ephemeral_volume {
namespace {

Result<PersistentVolumeClaim> ClaimFor(const views::Pod& pod, const views::Pod::Volume& volume) {
  FLYBALL_TRY(auto source, api::DecodeProtobuf<core::v1::VolumeSource>(volume.rare));
  PersistentVolumeClaim claim;
  claim.metadata.namespace_ = pod.metadata.namespace_;
  claim.metadata.name = common::EphemeralClaimName(pod, volume);
  claim.metadata.ownerReferences = {
      common::ControllerRefToPod(pod.metadata.name, pod.metadata.uid)};
  if (!source.ephemeral || !source.ephemeral->volumeClaimTemplate) return claim;
  auto& made_of = *source.ephemeral->volumeClaimTemplate;
  claim.metadata.annotations = std::move(made_of.metadata.annotations);
  claim.metadata.labels = std::move(made_of.metadata.labels);
  claim.spec = std::move(made_of.spec);
  return claim;
}

std::string NotItsOwn(const views::Pod& pod, const std::string& claim) {
  const std::string space = std::string(pod.metadata.namespace_) + "/";
  return "PVC " + space + claim + " was not created for pod " + space +
         std::string(pod.metadata.name) + " (pod is not owner)";
}

}  // namespace

bool Concerns(const views::Pod& pod) {
  return !pod.metadata.deletionTimestamp &&
         std::ranges::any_of(pod.spec.volumes, common::IsEphemeral);
}

Result<std::vector<Step>> PlanFor(const views::Pod& pod, const FindClaim& find) {
  std::vector<Step> steps;
  if (pod.metadata.deletionTimestamp) return steps;
  for (const auto& volume : pod.spec.volumes) {
    if (!common::IsEphemeral(volume)) continue;
    const std::string name = common::EphemeralClaimName(pod, volume);
    const auto there = find(name);
    if (there && common::IsMadeFor(*there, pod)) continue;
    Step& step = steps.emplace_back(Step{.volume = std::string(volume.name)});
    if (there) {
      step.problem = NotItsOwn(pod, name);
      break;
    }
    FLYBALL_TRY(step.claim, ClaimFor(pod, volume));
  }
  return steps;
}

std::string Step::ToString() const {
  if (!problem.empty()) return "volume " + volume + ": " + problem;
  return "make " + claim.metadata.name + " for volume " + volume;
}

}  // namespace flyball::controllers::ephemeral_volume

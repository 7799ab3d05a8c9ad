#include "flyball/controllers/deployment/new_replica_set.h"

#include <string>
#include <utility>

#include "flyball/api/names.h"
#include "flyball/api/template_hash.h"
#include "flyball/base/wrapping.h"
#include "flyball/controllers/common/controller_ref.h"
#include "flyball/controllers/deployment/annotations.h"
#include "flyball/controllers/deployment/conditions.h"
#include "flyball/controllers/deployment/progress.h"
#include "flyball/controllers/deployment/revisions.h"
#include "flyball/controllers/deployment/rolling_plan.h"

namespace flyball::controllers::deployment {

using apps::v1::Deployment;
using apps::v1::ReplicaSet;

ReplicaSet MakeReplicaSet(const Rollout& rollout, std::int64_t revision) {
  const Deployment& deployment = rollout.deployment;
  const std::string hash =
      api::PodTemplateHash(deployment.spec.template_, deployment.status.collisionCount);
  ReplicaSet set;
  set.metadata.namespace_ = deployment.metadata.namespace_;
  set.metadata.name = api::NameWithHash(deployment.metadata.name, hash);
  set.metadata.ownerReferences.push_back(common::ControllerRefTo(deployment));
  set.spec.replicas = GrownSize(deployment, 0, TotalSize(rollout.old));
  set.spec.minReadySeconds = deployment.spec.minReadySeconds;
  set.spec.template_ = deployment.spec.template_;
  set.spec.template_.metadata.labels[kHashLabel] = hash;
  set.metadata.labels = set.spec.template_.metadata.labels;
  set.spec.selector = deployment.spec.selector;
  set.spec.selector.get_or_emplace().matchLabels[kHashLabel] = hash;
  // PARITY: none are added where the deployment has none to copy and the revision has wrapped, for
  // then it is below 0, which is what a set without a revision counts as.
  if (auto annotations = AnnotationsOfCurrent(deployment, set, revision)) {
    set.metadata.annotations = *std::move(annotations);
  }
  NoteSize(deployment, set.metadata.annotations);
  return set;
}

FailedCreation OnCreationFailed(const Deployment& deployment, const ReplicaSet& set,
                                const Error& error, WallTime now) {
  FailedCreation failed{.event = {.type = runtime::EventType::kWarning,
                                  .reason = std::string(kSetCreateError),
                                  .message = "Failed to create new replica set \"" +
                                             set.metadata.name + "\": " + error.message()}};
  if (!HasProgressDeadline(deployment)) return failed;
  Deployment changed = deployment;
  NotePause(deployment, changed.status, now);
  SetCondition(changed.status,
               MakeCondition(kProgressing, "False", kSetCreateError, failed.event.message, now));
  if (changed.status != deployment.status) failed.status = std::move(changed);
  return failed;
}

bool IsCollision(const Deployment& deployment, const ReplicaSet& other) {
  const auto* const owner = common::ControllerOf(other);
  return owner == nullptr || owner->uid != deployment.metadata.uid ||
         !SameTemplate(deployment.spec.template_, other.spec.template_);
}

Deployment OnCollision(const Deployment& deployment, WallTime now) {
  Deployment changed = deployment;
  NotePause(deployment, changed.status, now);
  changed.status.collisionCount = WrappingAdd(deployment.status.collisionCount.value_or(0), 1);
  return changed;
}

}  // namespace flyball::controllers::deployment

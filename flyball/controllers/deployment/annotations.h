#pragma once

#include <string_view>

/// What the deployment controllers of all versions write onto deployments and ReplicaSets. The next
/// manager to take over goes by these.
namespace flyball::controllers::deployment {

/// Of a ReplicaSet, which of the deployment's templates it has, counted up; of the deployment, that
/// of its current one.
inline constexpr std::string_view kRevision = "deployment.kubernetes.io/revision";
/// Of a ReplicaSet, the revisions that it was before it was rolled back to: "1,4".
inline constexpr std::string_view kRevisionHistory = "deployment.kubernetes.io/revision-history";
/// Of a ReplicaSet, the deployment's size when the set's own was last decided on, and that with its
/// surge. A deployment whose size is another has been scaled since.
inline constexpr std::string_view kDesiredReplicas = "deployment.kubernetes.io/desired-replicas";
inline constexpr std::string_view kMaxReplicas = "deployment.kubernetes.io/max-replicas";
/// Of a deployment, the revision to go back to: what is left of a field of extensions/v1beta1.
inline constexpr std::string_view kRollBackTo = "deprecated.deployment.rollback.to";

/// The label that tells the pods of one ReplicaSet from those of the next.
inline constexpr std::string_view kHashLabel = "pod-template-hash";

}  // namespace flyball::controllers::deployment

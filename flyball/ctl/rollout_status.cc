#include "flyball/ctl/rollout_status.h"

#include <charconv>

#include "flyball/api/apps/v1.h"
#include "flyball/api/json_decode.h"
#include "flyball/base/wrapping.h"
#include "flyball/ctl/error_text.h"
#include "flyball/ctl/json_field.h"

namespace flyball::ctl {
namespace {

using api::Json;

std::string Quoted(const std::string& name) { return "\"" + name + "\""; }
std::string Text(std::int64_t number) { return std::to_string(number); }

Result<RolloutState> StateOf(const apps::v1::Deployment& deployment) {
  const std::string& name = deployment.metadata.name;
  const auto& status = deployment.status;
  if (deployment.metadata.generation > status.observedGeneration) {
    return RolloutState{"Waiting for deployment spec update to be observed...\n"};
  }
  for (const auto& condition : status.conditions) {
    if (condition.type == "Progressing" && condition.reason == "ProgressDeadlineExceeded") {
      return std::unexpected(
          UsageError("deployment " + Quoted(name) + " exceeded its progress deadline"));
    }
  }
  const std::string waiting = "Waiting for deployment " + Quoted(name) + " rollout to finish: ";
  if (deployment.spec.replicas && status.updatedReplicas < *deployment.spec.replicas) {
    return RolloutState{waiting + Text(status.updatedReplicas) + " out of " +
                        Text(*deployment.spec.replicas) + " new replicas have been updated...\n"};
  }
  if (status.replicas > status.updatedReplicas) {
    return RolloutState{waiting + Text(WrappingSubtract(status.replicas, status.updatedReplicas)) +
                        " old replicas are pending termination...\n"};
  }
  if (status.availableReplicas < status.updatedReplicas) {
    return RolloutState{waiting + Text(status.availableReplicas) + " of " +
                        Text(status.updatedReplicas) + " updated replicas are available...\n"};
  }
  return RolloutState{"deployment " + Quoted(name) + " successfully rolled out\n", true};
}

std::unexpected<Error> OnlyRollingUpdates() {
  return std::unexpected(
      UsageError("rollout status is only available for RollingUpdate strategy type"));
}

Result<RolloutState> StateOf(const apps::v1::DaemonSet& set) {
  const std::string& name = set.metadata.name;
  const auto& status = set.status;
  if (set.spec.updateStrategy.type != "RollingUpdate") return OnlyRollingUpdates();
  if (set.metadata.generation > status.observedGeneration) {
    return RolloutState{"Waiting for daemon set spec update to be observed...\n"};
  }
  const std::string waiting = "Waiting for daemon set " + Quoted(name) + " rollout to finish: ";
  const std::string desired = Text(status.desiredNumberScheduled);
  if (status.updatedNumberScheduled < status.desiredNumberScheduled) {
    return RolloutState{waiting + Text(status.updatedNumberScheduled) + " out of " + desired +
                        " new pods have been updated...\n"};
  }
  if (status.numberAvailable < status.desiredNumberScheduled) {
    return RolloutState{waiting + Text(status.numberAvailable) + " of " + desired +
                        " updated pods are available...\n"};
  }
  return RolloutState{"daemon set " + Quoted(name) + " successfully rolled out\n", true};
}

Result<RolloutState> StateOf(const apps::v1::StatefulSet& set) {
  const auto& status = set.status;
  const auto& strategy = set.spec.updateStrategy;
  if (strategy.type != "RollingUpdate") return OnlyRollingUpdates();
  if (status.observedGeneration == 0 || set.metadata.generation > status.observedGeneration) {
    return RolloutState{"Waiting for statefulset spec update to be observed...\n"};
  }
  if (set.spec.replicas && status.readyReplicas < *set.spec.replicas) {
    return RolloutState{"Waiting for " + Text(*set.spec.replicas - status.readyReplicas) +
                        " pods to be ready...\n"};
  }
  if (strategy.rollingUpdate) {
    const auto& partition = strategy.rollingUpdate->partition;
    if (set.spec.replicas && partition &&
        status.updatedReplicas < *set.spec.replicas - *partition) {
      return RolloutState{
          "Waiting for partitioned roll out to finish: " + Text(status.updatedReplicas) +
          " out of " + Text(*set.spec.replicas - *partition) + " new pods have been updated...\n"};
    }
    return RolloutState{"partitioned roll out complete: " + Text(status.updatedReplicas) +
                            " new pods have been updated...\n",
                        true};
  }
  if (status.updateRevision != status.currentRevision) {
    return RolloutState{"waiting for statefulset rolling update to complete " +
                        Text(status.updatedReplicas) + " pods at revision " +
                        status.updateRevision + "...\n"};
  }
  return RolloutState{"statefulset rolling update complete " + Text(status.currentReplicas) +
                          " pods at revision " + status.currentRevision + "...\n",
                      true};
}

template <typename T>
Result<RolloutState> StateOf(const Json& object) {
  FLYBALL_TRY(const T typed, api::DecodeJson<T>(object.ToString()));
  return StateOf(typed);
}

}  // namespace

Result<std::int64_t> RevisionOf(const Json& object) {
  const std::string text =
      TextAt(object, {"metadata", "annotations", "deployment.kubernetes.io/revision"});
  std::int64_t revision = 0;
  if (text.empty()) return revision;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), revision);
  if (failed != std::errc() || end != text.data() + text.size()) {
    return std::unexpected(UsageError("cannot get the revision of deployment " +
                                      Quoted(NameOf(object)) + ": " + text + " is no number"));
  }
  return revision;
}

Result<RolloutState> StateOfRollout(const Json& object, std::int64_t revision) {
  const std::string kind = TextAt(object, {"kind"});
  if (kind == "DaemonSet") return StateOf<apps::v1::DaemonSet>(object);
  if (kind == "StatefulSet") return StateOf<apps::v1::StatefulSet>(object);
  if (kind != "Deployment") {
    return std::unexpected(UsageError("no status viewer has been implemented for " + kind));
  }
  FLYBALL_TRY(const std::int64_t running, RevisionOf(object));
  if (revision > 0 && revision != running) {
    return std::unexpected(UsageError("desired revision (" + Text(revision) +
                                      ") is different from the running revision (" + Text(running) +
                                      ")"));
  }
  return StateOf<apps::v1::Deployment>(object);
}

}  // namespace flyball::ctl

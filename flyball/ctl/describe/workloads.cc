#include <algorithm>

#include "flyball/api/equality.h"
#include "flyball/api/human_duration.h"
#include "flyball/ctl/describe/describers.h"
#include "flyball/ctl/describe/pod_template.h"

namespace flyball::ctl::describe {
namespace {

template <typename Condition>
void AddConditions(const std::vector<Condition>& conditions, Description& out) {
  if (conditions.empty()) return;
  out.Line(0, "Conditions:\n  Type\tStatus\tReason");
  out.Line(1, "----\t------\t------");
  for (const Condition& condition : conditions) {
    out.Line(1, condition.type + " \t" + condition.status + "\t" + condition.reason);
  }
}

/// The ReplicaSet whose template is the Deployment's; of several, the oldest, as its controller
/// chooses.
const apps::v1::ReplicaSet* FindNewSet(const apps::v1::Deployment& deployment,
                                       const std::vector<apps::v1::ReplicaSet>& sets) {
  const apps::v1::ReplicaSet* newest = nullptr;
  for (const apps::v1::ReplicaSet& set : sets) {
    core::v1::PodTemplateSpec theirs = set.spec.template_;
    core::v1::PodTemplateSpec ours = deployment.spec.template_;
    theirs.metadata.labels.erase("pod-template-hash");
    ours.metadata.labels.erase("pod-template-hash");
    if (!api::SemanticEqual(theirs, ours)) continue;
    if (newest == nullptr || set.metadata.creationTimestamp < newest->metadata.creationTimestamp) {
      newest = &set;
    }
  }
  return newest;
}

std::string SetText(const apps::v1::ReplicaSet& set) {
  return set.metadata.name + " (" + std::to_string(set.status.replicas) + "/" +
         std::to_string(set.spec.replicas.value_or(0)) + " replicas created)";
}

void AddReplicaSets(const apps::v1::Deployment& deployment,
                    const std::vector<apps::v1::ReplicaSet>& sets, Description& out) {
  if (sets.empty()) return;
  const apps::v1::ReplicaSet* const newest = FindNewSet(deployment, sets);
  std::vector<std::string> old;
  for (const auto& set : sets) {
    if (&set != newest) old.push_back(SetText(set));
  }
  out.Field(0, "OldReplicaSets", OrNone(Join(old, ", ")));
  out.Field(0, "NewReplicaSet", newest == nullptr ? "<none>" : SetText(*newest));
}

std::string SelectorTextOf(const api::Box<meta::v1::LabelSelector>& selector) {
  return selector ? SelectorText(*selector) : "<none>";
}

}  // namespace

PodCounts CountPods(const std::vector<core::v1::Pod>& pods, std::string_view owner_uid) {
  PodCounts counts;
  for (const core::v1::Pod& pod : pods) {
    const bool owned =
        std::ranges::any_of(pod.metadata.ownerReferences, [&](const auto& reference) {
          return reference.controller.value_or(false) && reference.uid == owner_uid;
        });
    if (!owned) continue;
    const std::string& phase = pod.status.phase;
    counts.running += phase == "Running" ? 1 : 0;
    counts.waiting += phase == "Pending" ? 1 : 0;
    counts.succeeded += phase == "Succeeded" ? 1 : 0;
    counts.failed += phase == "Failed" ? 1 : 0;
  }
  return counts;
}

void AddDeployment(const apps::v1::Deployment& deployment,
                   const std::vector<apps::v1::ReplicaSet>& replica_sets, Description& out) {
  const auto& spec = deployment.spec;
  const auto& status = deployment.status;
  out.Field(0, "Name", deployment.metadata.name);
  out.Field(0, "Namespace", deployment.metadata.namespace_);
  out.Field(0, "CreationTimestamp", DateText(deployment.metadata.creationTimestamp));
  out.Labels("Labels", deployment.metadata.labels);
  out.Annotations("Annotations", deployment.metadata.annotations);
  out.Field(0, "Selector", SelectorTextOf(spec.selector));
  out.Field(0, "Replicas",
            std::to_string(spec.replicas.value_or(0)) + " desired | " +
                std::to_string(status.updatedReplicas) + " updated | " +
                std::to_string(status.replicas) + " total | " +
                std::to_string(status.availableReplicas) + " available | " +
                std::to_string(status.unavailableReplicas) + " unavailable");
  out.Field(0, "StrategyType", spec.strategy.type);
  out.Field(0, "MinReadySeconds", spec.minReadySeconds);
  if (spec.strategy.rollingUpdate) {
    const auto& update = *spec.strategy.rollingUpdate;
    const auto text = [](const auto& value) { return value ? value->ToString() : "0"; };
    out.Field(
        0, "RollingUpdateStrategy",
        text(update.maxUnavailable) + " max unavailable, " + text(update.maxSurge) + " max surge");
  }
  AddPodTemplate(spec.template_, out);
  AddConditions(status.conditions, out);
  AddReplicaSets(deployment, replica_sets, out);
}

void AddReplicaSet(const apps::v1::ReplicaSet& set, const PodCounts& pods, Description& out) {
  out.Field(0, "Name", set.metadata.name);
  out.Field(0, "Namespace", set.metadata.namespace_);
  out.Field(0, "Selector", SelectorTextOf(set.spec.selector));
  out.Labels("Labels", set.metadata.labels);
  out.Annotations("Annotations", set.metadata.annotations);
  if (const std::string controller = ControllerText(set.metadata); !controller.empty()) {
    out.Field(0, "Controlled By", controller);
  }
  out.Field(0, "Replicas",
            std::to_string(set.status.replicas) + " current / " +
                std::to_string(set.spec.replicas.value_or(0)) + " desired");
  out.Field(0, "Pods Status",
            std::to_string(pods.running) + " Running / " + std::to_string(pods.waiting) +
                " Waiting / " + std::to_string(pods.succeeded) + " Succeeded / " +
                std::to_string(pods.failed) + " Failed");
  AddPodTemplate(set.spec.template_, out);
  AddConditions(set.status.conditions, out);
}

namespace {

/// Not too many of them.
std::string IndexesText(const std::string& indexes) {
  const std::size_t comma = indexes.find(',', std::min<std::size_t>(50, indexes.size()));
  if (comma == std::string::npos) return OrNone(indexes);
  return indexes.substr(0, comma + 1) + "...";
}

void AddJobTimes(const batch::v1::Job& job, Description& out) {
  const auto& started = job.status.startTime;
  const auto& completed = job.status.completionTime;
  if (started) out.Field(0, "Start Time", DateText(*started));
  if (completed) out.Field(0, "Completed At", DateText(*completed));
  if (started && completed) {
    out.Field(0, "Duration", api::HumanDuration(*completed - *started));
  }
  if (job.spec.activeDeadlineSeconds) {
    out.Field(0, "Active Deadline Seconds", std::to_string(*job.spec.activeDeadlineSeconds) + "s");
  }
}

}  // namespace

void AddJob(const batch::v1::Job& job, Description& out) {
  const auto& spec = job.spec;
  const auto& status = job.status;
  out.Field(0, "Name", job.metadata.name);
  out.Field(0, "Namespace", job.metadata.namespace_);
  out.Field(0, "Selector", SelectorTextOf(spec.selector));
  out.Labels("Labels", job.metadata.labels);
  out.Annotations("Annotations", job.metadata.annotations);
  if (const std::string controller = ControllerText(job.metadata); !controller.empty()) {
    out.Field(0, "Controlled By", controller);
  }
  if (spec.parallelism) out.Field(0, "Parallelism", *spec.parallelism);
  out.Field(0, "Completions", spec.completions ? std::to_string(*spec.completions) : "<unset>");
  if (spec.completionMode) out.Field(0, "Completion Mode", *spec.completionMode);
  if (spec.suspend) out.Field(0, "Suspend", *spec.suspend ? "true" : "false");
  if (spec.backoffLimit) out.Field(0, "Backoff Limit", *spec.backoffLimit);
  if (spec.ttlSecondsAfterFinished) {
    out.Field(0, "TTL Seconds After Finished", *spec.ttlSecondsAfterFinished);
  }
  AddJobTimes(job, out);
  const std::string ready =
      status.ready ? " (" + std::to_string(*status.ready) + " Ready)" : std::string();
  out.Field(0, "Pods Statuses",
            std::to_string(status.active) + " Active" + ready + " / " +
                std::to_string(status.succeeded) + " Succeeded / " + std::to_string(status.failed) +
                " Failed");
  if (spec.completionMode == "Indexed") {
    out.Field(0, "Completed Indexes", IndexesText(status.completedIndexes));
  }
  AddPodTemplate(spec.template_, out);
}

}  // namespace flyball::ctl::describe

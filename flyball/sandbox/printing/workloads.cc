#include <algorithm>

#include "flyball/api/apps/v1.h"
#include "flyball/api/batch/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/api/label_selector.h"
#include "flyball/sandbox/printing/cell_text.h"
#include "flyball/sandbox/printing/printer.h"

namespace flyball::sandbox::printing {
namespace {

using apps::v1::ControllerRevision;
using apps::v1::DaemonSet;
using apps::v1::Deployment;
using apps::v1::ReplicaSet;
using apps::v1::StatefulSet;
using batch::v1::CronJob;
using batch::v1::Job;
using core::v1::ReplicationController;

constexpr Column kReplicaSetColumns[] = {
    kName, Integer("Desired"), Integer("Current"), Integer("Ready"),
    kAge,  Wide("Containers"), Wide("Images"),     Wide("Selector")};

Cells ReplicaSetCells(const ReplicaSet& set, WallTime now) {
  const auto& containers = set.spec.template_.spec.containers;
  return {set.metadata.name,
          set.spec.replicas.value_or(0),
          set.status.replicas,
          set.status.readyReplicas,
          AgeOf(set, now),
          ContainerNames(containers),
          ContainerImages(containers),
          SelectorText(set.spec.selector)};
}

Cells ReplicationControllerCells(const ReplicationController& controller, WallTime now) {
  const std::vector<core::v1::Container> none;
  const auto& spec = controller.spec;
  const auto& containers = spec.template_ ? spec.template_->spec.containers : none;
  return {controller.metadata.name,        spec.replicas.value_or(0), controller.status.replicas,
          controller.status.readyReplicas, AgeOf(controller, now),    ContainerNames(containers),
          ContainerImages(containers),     LabelsText(spec.selector)};
}

constexpr Column kDeploymentColumns[] = {
    kName, {"Ready"},          {"Up-to-date"}, {"Available"},
    kAge,  Wide("Containers"), Wide("Images"), Wide("Selector")};

Cells DeploymentCells(const Deployment& deployment, WallTime now) {
  const auto& containers = deployment.spec.template_.spec.containers;
  const auto selector = api::Selector::FromMessage(deployment.spec.selector);
  return {deployment.metadata.name,
          Fraction(deployment.status.readyReplicas, deployment.spec.replicas.value_or(0)),
          deployment.status.updatedReplicas,
          deployment.status.availableReplicas,
          AgeOf(deployment, now),
          ContainerNames(containers),
          ContainerImages(containers),
          selector ? selector->ToString() : "<invalid>"};
}

constexpr Column kStatefulSetColumns[] = {
    kName, {"Ready"}, kAge, Wide("Containers"), Wide("Images")};

Cells StatefulSetCells(const StatefulSet& set, WallTime now) {
  const auto& containers = set.spec.template_.spec.containers;
  return {set.metadata.name, Fraction(set.status.readyReplicas, set.spec.replicas.value_or(0)),
          AgeOf(set, now), ContainerNames(containers), ContainerImages(containers)};
}

constexpr Column kDaemonSetColumns[] = {kName,
                                        Integer("Desired"),
                                        Integer("Current"),
                                        Integer("Ready"),
                                        Integer("Up-to-date"),
                                        Integer("Available"),
                                        {"Node Selector"},
                                        kAge,
                                        Wide("Containers"),
                                        Wide("Images"),
                                        Wide("Selector")};

Cells DaemonSetCells(const DaemonSet& set, WallTime now) {
  const auto& pod = set.spec.template_.spec;
  return {set.metadata.name,
          set.status.desiredNumberScheduled,
          set.status.currentNumberScheduled,
          set.status.numberReady,
          set.status.updatedNumberScheduled,
          set.status.numberAvailable,
          LabelsText(pod.nodeSelector),
          AgeOf(set, now),
          ContainerNames(pod.containers),
          ContainerImages(pod.containers),
          SelectorText(set.spec.selector)};
}

std::string Completions(const Job& job) {
  const std::int64_t succeeded = job.status.succeeded;
  if (job.spec.completions) return Fraction(succeeded, *job.spec.completions);
  const std::int32_t parallelism = job.spec.parallelism.value_or(0);
  std::string text = Fraction(succeeded, 1);
  if (parallelism > 1) text += " of " + std::to_string(parallelism);
  return text;
}

std::string JobDuration(const Job& job, WallTime now) {
  const auto& status = job.status;
  if (!status.startTime) return {};
  if (!status.completionTime) return HumanDuration(api::Time(now) - *status.startTime);
  return HumanDuration(*status.completionTime - *status.startTime);
}

std::string JobStatus(const Job& job) {
  const auto has = [&](std::string_view type) {
    return ConditionStatus(job.status.conditions, type) == "True";
  };
  if (has("Complete")) return "Complete";
  if (has("Failed")) return "Failed";
  if (job.metadata.deletionTimestamp) return "Terminating";
  for (const char* const type : {"Suspended", "FailureTarget", "SuccessCriteriaMet"}) {
    if (has(type)) return type;
  }
  return "Running";
}

constexpr Column kJobColumns[] = {kName, {"Status"},         {"Completions"}, {"Duration"},
                                  kAge,  Wide("Containers"), Wide("Images"),  Wide("Selector")};

Cells JobCells(const Job& job, WallTime now) {
  const auto& containers = job.spec.template_.spec.containers;
  return {job.metadata.name,
          JobStatus(job),
          Completions(job),
          JobDuration(job, now),
          AgeOf(job, now),
          ContainerNames(containers),
          ContainerImages(containers),
          SelectorText(job.spec.selector)};
}

constexpr Column kCronJobColumns[] = {kName,
                                      {"Schedule"},
                                      {"Timezone"},
                                      Boolean("Suspend"),
                                      Integer("Active"),
                                      {"Last Schedule"},
                                      kAge,
                                      Wide("Containers"),
                                      Wide("Images"),
                                      Wide("Selector")};

Cells CronJobCells(const CronJob& job, WallTime now) {
  const auto& work = job.spec.jobTemplate.spec;
  const auto& containers = work.template_.spec.containers;
  const auto& suspend = job.spec.suspend;
  const auto& last = job.status.lastScheduleTime;
  return {job.metadata.name,
          job.spec.schedule,
          TextOr(job.spec.timeZone, "<none>"),
          suspend ? (*suspend ? "True" : "False") : "<unset>",
          Count(job.status.active),
          last ? Since(*last, now) : "<none>",
          AgeOf(job, now),
          ContainerNames(containers),
          ContainerImages(containers),
          SelectorText(work.selector)};
}

/// "deployment.apps/web".
std::string ControllerText(const std::vector<meta::v1::OwnerReference>& owners) {
  const auto owner = std::ranges::find_if(
      owners, [](const auto& each) { return each.controller.value_or(false); });
  if (owner == owners.end()) return "<none>";
  std::string text = owner->kind;
  const auto slash = owner->apiVersion.find('/');
  if (slash != std::string::npos) text += "." + owner->apiVersion.substr(0, slash);
  return InLowerCase(text) + "/" + owner->name;
}

constexpr Column kRevisionColumns[] = {kName, {"Controller"}, {"Revision"}, kAge};

Cells ControllerRevisionCells(const ControllerRevision& revision, WallTime now) {
  return {revision.metadata.name, ControllerText(revision.metadata.ownerReferences),
          revision.revision, AgeOf(revision, now)};
}

constexpr Printer kPrinters[] = {
    For<ReplicaSet, ReplicaSetCells>(kReplicaSetColumns),
    For<ReplicationController, ReplicationControllerCells>(kReplicaSetColumns),
    For<Deployment, DeploymentCells>(kDeploymentColumns),
    For<StatefulSet, StatefulSetCells>(kStatefulSetColumns),
    For<DaemonSet, DaemonSetCells>(kDaemonSetColumns),
    For<Job, JobCells>(kJobColumns),
    For<CronJob, CronJobCells>(kCronJobColumns),
    For<ControllerRevision, ControllerRevisionCells>(kRevisionColumns),
};

}  // namespace

std::span<const Printer> WorkloadPrinters() { return kPrinters; }

}  // namespace flyball::sandbox::printing

#include "flyball/controllers/stateful_set/writer.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "flyball/controllers/common/namespace_terminating.h"

namespace flyball::controllers::stateful_set {
namespace {

using core::v1::PersistentVolumeClaim;
using core::v1::Pod;
using runtime::EventType;

/// How many pods are worked on at a time, at most.
constexpr std::size_t kLargestBatch = 500;

/// Several errors as one, as Go puts them.
Error Together(const std::vector<Error>& errors) {
  if (errors.size() == 1 || common::IsNamespaceTerminating(errors.front())) return errors.front();
  std::string text;
  for (const Error& error : errors) text += (text.empty() ? "[" : ", ") + error.message();
  return {errors.front().code(), text + "]"};
}

}  // namespace

/// What has become of a task so far.
struct Writer::Attempt {
  const PodTask& task;
  std::string pod;
  std::vector<Error> claim_errors = {};
  std::optional<Error> error = std::nullopt;  ///< of the pod itself
};

Result<> Writer::DoTasks(std::span<const PodTask> tasks) {
  std::size_t batch = 1;
  while (!tasks.empty()) {
    batch = std::min(batch, tasks.size());
    FLYBALL_TRY(DoBatch(tasks.first(batch)));
    tasks = tasks.subspan(batch);
    if (IsParallel(set_)) batch = std::min(2 * batch, kLargestBatch);
  }
  return {};
}

Result<> Writer::DoBatch(std::span<const PodTask> tasks) {
  std::vector<Attempt> attempts;
  std::vector<PodRef> ended;
  for (const PodTask& task : tasks) {
    if (task.remove) {
      ended.push_back(task.pod);
    } else {
      attempts.push_back({.task = task, .pod = PodName(set_, task.ordinal)});
    }
  }
  Result<> all = DeletePods(ended).all;
  CreateClaims(attempts);
  CreatePods(attempts);
  for (Attempt& attempt : attempts) {
    if (auto finished = Finish(attempt); !finished && all) all = std::move(finished);
  }
  return all;
}

void Writer::CreateClaims(std::span<Attempt> attempts) {
  std::vector<PersistentVolumeClaim> claims;
  std::vector<Attempt*> whose;
  for (Attempt& attempt : attempts) {
    for (const PersistentVolumeClaim& claim : attempt.task.claims.create) {
      claims.push_back(claim);
      whose.push_back(&attempt);
    }
    for (const std::string& name : attempt.task.claims.going) {
      attempt.claim_errors.emplace_back(ErrorCode::kConflict, "pvc " + name + " is being deleted");
    }
  }
  const auto created = context_.CreateAll(std::span<const PersistentVolumeClaim>(claims));
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const std::string& name = claims[i].metadata.name;
    if (created[i]) {
      TellOfClaim(name, whose[i]->pod, std::nullopt);
      continue;
    }
    const Error& error = created[i].error();
    whose[i]->claim_errors.push_back(error.Wrap("failed to create PVC " + name));
    // The cache will show it.
    if (error.code() != ErrorCode::kAlreadyExists) TellOfClaim(name, whose[i]->pod, error);
  }
}

void Writer::CreatePods(std::span<Attempt> attempts) {
  std::vector<Pod> pods;
  std::vector<Attempt*> whose;
  for (Attempt& attempt : attempts) {
    if (!attempt.task.Creates() || !attempt.claim_errors.empty()) continue;
    auto pod = make_(attempt.task.ordinal);
    if (!pod) {
      attempt.error = std::move(pod).error();
      continue;
    }
    pods.push_back(*std::move(pod));
    whose.push_back(&attempt);
  }
  const auto created = context_.CreateAll(std::span<const Pod>(pods));
  for (std::size_t i = 0; i < pods.size(); ++i) {
    if (!created[i]) whose[i]->error = created[i].error();
  }
}

Result<> Writer::Finish(Attempt& attempt) {
  const PodTask& task = attempt.task;
  if (!attempt.claim_errors.empty()) {
    const Error error = Together(attempt.claim_errors);
    // PARITY: where a pod waits for a claim nothing is said of the pod.
    if (task.Creates()) TellOfPod("Create", attempt.pod, error);
    if (task.repair) TellOfPod("Update", attempt.pod, error);
    return std::unexpected(error);
  }
  if (attempt.error && attempt.error->code() == ErrorCode::kAlreadyExists) {
    return std::unexpected(*attempt.error);
  }
  if (const auto adjusted = AdjustClaims(task.claims.adjust); !adjusted) {
    TellOfPod("Update", attempt.pod, adjusted.error());
    return adjusted;
  }
  if (task.Creates()) {
    TellOfPod("Create", attempt.pod, attempt.error);
    if (attempt.error) return std::unexpected(*attempt.error);
    return {};
  }
  return task.repair ? RepairIdentity(task) : Result<>();
}

Result<> Writer::RepairIdentity(const PodTask& task) {
  const std::string name = PodName(set_, task.ordinal);
  std::optional<Error> error;
  // DIVERGES: where only its claims were wrong upstream writes the pod as it is, and tells of that.
  // Here that is told without it.
  if (task.patch) {
    const auto patched = context_.Patch<Pod>(
        {set_.metadata.namespace_, name},
        client::Patch{client::PatchType::kStrategic, RepairPatch(set_, *task.pod)});
    if (!patched) error = patched.error();
  }
  TellOfPod("Update", name, error);
  if (error) return std::unexpected(*error);
  return {};
}

Result<> Writer::AdjustClaims(std::span<const ClaimPlan::Adjustment> adjustments) {
  for (const ClaimPlan::Adjustment& adjustment : adjustments) {
    const std::string& name = adjustment.claim.metadata.name;
    if (adjustment.contested) {
      // "manging" is upstream's.
      context_.events().Event(set_, EventType::kWarning, "ConflictingController",
                              "PersistentVolumeClaim " + name +
                                  " has a conflicting OwnerReference that acts as a manging "
                                  "controller, the retention policy is ignored for this claim");
    }
    if (!adjustment.write) continue;
    if (const auto written = context_.Update(adjustment.claim); !written) {
      return std::unexpected(
          written.error().Wrap("could not update claim " + name + " for delete policy ownerRefs"));
    }
  }
  return {};
}

Writer::Deleted Writer::DeletePods(std::span<const PodRef> pods) {
  // In order nothing is done before the last is; else all at once.
  const std::size_t at_a_time = IsParallel(set_) ? kLargestBatch : 1;
  Deleted deleted;
  while (!pods.empty() && deleted.all) {
    const auto batch = pods.first(std::min(at_a_time, pods.size()));
    std::vector<api::ObjectIdentity> identities;
    for (const PodRef& pod : batch) identities.push_back(api::IdentityOf(*pod));
    const auto answers = context_.DeleteAll(client::Resource::Of<views::Pod>(), identities);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const std::string_view name = batch[i]->metadata.name;
      const ErrorCode code = answers[i] ? ErrorCode::kNotFound : answers[i].error().code();
      if (answers[i] || code == ErrorCode::kNotFound) {
        TellOfPod("Delete", name, std::nullopt);
      } else if (code != ErrorCode::kConflict) {  // a conflict: its successor is there already
        TellOfPod("Delete", name, answers[i].error());
        if (deleted.all) deleted.all = std::unexpected(answers[i].error());
        continue;
      }
      ++deleted.count;
    }
    pods = pods.subspan(batch.size());
  }
  return deleted;
}

void Writer::TellOfPod(std::string_view verb, std::string_view pod,
                       const std::optional<Error>& error) {
  const std::string what =
      std::string(verb) + " Pod " + std::string(pod) + " in StatefulSet " + set_.metadata.name;
  if (!error) {
    context_.events().Event(set_, EventType::kNormal, "Successful" + std::string(verb),
                            what + " successful");
  } else if (!common::IsNamespaceTerminating(*error)) {  // where nothing can be told either
    context_.events().Event(set_, EventType::kWarning, "Failed" + std::string(verb),
                            what + " failed error: " + error->message());
  }
}

void Writer::TellOfClaim(std::string_view claim, std::string_view pod,
                         const std::optional<Error>& error) {
  const std::string name(claim);
  const std::string whose = "Pod " + std::string(pod) + " in StatefulSet " + set_.metadata.name;
  if (!error) {
    context_.events().Event(set_, EventType::kNormal, "SuccessfulCreate",
                            "Create Claim " + name + " " + whose + " success");
  } else if (!common::IsNamespaceTerminating(*error)) {
    context_.events().Event(
        set_, EventType::kWarning, "FailedCreate",
        "Create Claim " + name + " for " + whose + " failed error: " + error->message());
  }
}

}  // namespace flyball::controllers::stateful_set

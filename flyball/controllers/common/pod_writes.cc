#include "flyball/controllers/common/pod_writes.h"

#include <algorithm>
#include <string>

#include "flyball/controllers/common/namespace_terminating.h"

namespace flyball::controllers::common {
namespace {

using core::v1::ObjectReference;
using core::v1::Pod;
using runtime::Context;
using runtime::EventType;
using Answers = std::vector<Result<Context::Stored>>;

/// Tells of a batch, and adds it to what was made before.
void TellCreated(Context& context, const ObjectReference& owner, const Answers& batch,
                 PodWrites& writes) {
  for (const Result<Context::Stored>& pod : batch) {
    if (pod) {
      ++writes.created;
      context.log().V(4).Info("Controller created pod",
                              {{"controller", owner.name}, {"pod", api::KObj(*pod)}});
      context.events().Event(owner, EventType::kNormal, "SuccessfulCreate",
                             "Created pod: " + pod->metadata.name);
      continue;
    }
    ++writes.refused;
    if (!writes.failure) writes.failure = pod.error();
    // Nothing that anybody needs to be told.
    if (IsNamespaceTerminating(pod.error())) continue;
    context.events().Event(owner, EventType::kWarning, "FailedCreate",
                           "Error creating: " + pod.error().message());
  }
}

/// `send` is told how many are made already, and how many to make.
template <typename Send>
PodWrites CreateInBatches(Context& context, const ObjectReference& owner, std::size_t count,
                          Send send) {
  PodWrites writes;
  std::size_t batch = 0;
  while (!writes.failure && (batch = NextBatch(batch, count - writes.created)) > 0) {
    TellCreated(context, owner, send(writes.created, batch), writes);
  }
  return writes;
}

}  // namespace

std::size_t NextBatch(std::size_t last, std::size_t left) {
  return std::min(last == 0 ? kFirstBatch : 2 * last, left);
}

PodWrites CreatePods(Context& context, const ObjectReference& owner, const Pod& pod,
                     std::size_t count) {
  if (pod.metadata.labels.empty()) {
    return {.failure = Error(ErrorCode::kInvalid, "unable to create pods, no labels")};
  }
  return CreateInBatches(context, owner, count, [&](std::size_t, std::size_t batch) {
    return context.CreateAll(pod, batch);
  });
}

PodWrites CreatePods(Context& context, const ObjectReference& owner, std::size_t count,
                     const std::function<Pod(std::size_t)>& make) {
  return CreateInBatches(context, owner, count, [&](std::size_t first, std::size_t batch) {
    std::vector<Pod> pods;
    pods.reserve(batch);
    for (std::size_t i = first; i < first + batch; ++i) pods.push_back(make(i));
    return context.CreateAll(std::span<const Pod>(pods));
  });
}

PodWrites CreatePods(Context& context, const ObjectReference& owner, std::span<const Pod> pods) {
  return CreateInBatches(context, owner, pods.size(), [&](std::size_t first, std::size_t batch) {
    return context.CreateAll(pods.subspan(first, batch));
  });
}

PodWrites DeletePods(Context& context, const ObjectReference& owner,
                     std::span<const cache::Ref<views::Pod>> pods) {
  std::vector<api::ObjectIdentity> identities;
  identities.reserve(pods.size());
  for (const auto& pod : pods) {
    context.log().V(2).Info("Deleting pod", {{"controller", owner.name}, {"pod", api::KObj(*pod)}});
    identities.push_back(api::IdentityOf(*pod));
  }
  const auto deleted = context.DeleteAll(client::Resource::Of<views::Pod>(), identities);
  PodWrites writes;
  for (std::size_t i = 0; i < pods.size(); ++i) {
    if (deleted[i]) {
      writes.removed.push_back(pods[i]);
      context.events().Event(owner, EventType::kNormal, "SuccessfulDelete",
                             "Deleted pod: " + std::string(pods[i]->metadata.name));
      continue;
    }
    const Error& error = deleted[i].error();
    // A conflict: another pod has its name by now.
    if (error.code() == ErrorCode::kNotFound || error.code() == ErrorCode::kConflict) {
      context.log().V(4).Info("Pod has already been deleted.", {{"pod", api::KObj(*pods[i])}});
      writes.removed.push_back(pods[i]);
      continue;
    }
    context.events().Event(owner, EventType::kWarning, "FailedDelete",
                           "Error deleting: " + error.message());
    if (!writes.failure) writes.failure = error.Wrap("unable to delete pods");
  }
  return writes;
}

}  // namespace flyball::controllers::common

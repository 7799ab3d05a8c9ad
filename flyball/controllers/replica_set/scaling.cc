#include "flyball/controllers/replica_set/scaling.h"

#include <vector>

#include "flyball/controllers/common/namespace_terminating.h"

namespace flyball::controllers::replica_set {
namespace {

using runtime::Context;
using runtime::EventType;

/// Tells of a batch, and adds it to what was made before.
void TellCreated(Context& context, const core::v1::ObjectReference& set,
                 const std::vector<Result<Context::Stored>>& batch, Scaled& scaled) {
  for (const Result<Context::Stored>& pod : batch) {
    if (pod) {
      ++scaled.created;
      context.events().Event(set, EventType::kNormal, "SuccessfulCreate",
                             "Created pod: " + pod->metadata.name);
      continue;
    }
    if (!scaled.failure) scaled.failure = pod.error();
    // Nothing that anybody needs to be told.
    if (common::IsNamespaceTerminating(pod.error())) continue;
    context.events().Event(set, EventType::kWarning, "FailedCreate",
                           "Error creating: " + pod.error().message());
  }
}

}  // namespace

Scaled CreatePods(Context& context, const core::v1::ObjectReference& set, const core::v1::Pod& pod,
                  std::size_t count) {
  if (pod.metadata.labels.empty()) {
    return {.failure = Error(ErrorCode::kInvalid, "unable to create pods, no labels")};
  }
  Scaled scaled;
  std::size_t batch = 0;
  while (!scaled.failure && (batch = NextBatch(batch, count - scaled.created)) > 0) {
    TellCreated(context, set, context.CreateAll(pod, batch), scaled);
  }
  return scaled;
}

Scaled DeletePods(Context& context, const core::v1::ObjectReference& set,
                  std::span<const PodRef> pods) {
  std::vector<api::ObjectIdentity> identities;
  identities.reserve(pods.size());
  for (const PodRef& pod : pods) identities.push_back(api::IdentityOf(*pod));
  const auto deleted = context.DeleteAll(client::Resource::Of<views::Pod>(), identities);
  Scaled scaled;
  for (std::size_t i = 0; i < pods.size(); ++i) {
    if (deleted[i]) {
      scaled.removed.push_back(pods[i]);
      context.events().Event(set, EventType::kNormal, "SuccessfulDelete",
                             "Deleted pod: " + std::string(pods[i]->metadata.name));
      continue;
    }
    const Error& error = deleted[i].error();
    // A conflict: another pod has its name by now.
    if (error.code() == ErrorCode::kNotFound || error.code() == ErrorCode::kConflict) {
      scaled.removed.push_back(pods[i]);
      continue;
    }
    context.events().Event(set, EventType::kWarning, "FailedDelete",
                           "Error deleting: " + error.message());
    if (!scaled.failure) scaled.failure = error.Wrap("unable to delete pods");
  }
  return scaled;
}

}  // namespace flyball::controllers::replica_set

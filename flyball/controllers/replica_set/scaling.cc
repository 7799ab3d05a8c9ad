#include "flyball/controllers/replica_set/scaling.h"

#include <vector>

#include "flyball/controllers/common/namespace_terminating.h"

namespace flyball::controllers::replica_set {
namespace {

using runtime::Context;
using runtime::EventType;

/// The error of the first that counts.
Result<> Created(Context& context, const core::v1::ObjectReference& set,
                 const std::vector<Result<Context::Stored>>& batch) {
  Result<> all;
  for (const Result<Context::Stored>& pod : batch) {
    if (pod) {
      context.events().Event(set, EventType::kNormal, "SuccessfulCreate",
                             "Created pod: " + pod->metadata.name);
      continue;
    }
    // Nothing that anybody needs to be told.
    if (common::IsNamespaceTerminating(pod.error())) return std::unexpected(pod.error());
    context.events().Event(set, EventType::kWarning, "FailedCreate",
                           "Error creating: " + pod.error().message());
    if (all) all = std::unexpected(pod.error());
  }
  return all;
}

}  // namespace

Result<> CreatePods(Context& context, const core::v1::ObjectReference& set,
                    const core::v1::Pod& pod, std::size_t count) {
  if (pod.metadata.labels.empty()) {
    return Fail(ErrorCode::kInvalid, "unable to create pods, no labels");
  }
  for (std::size_t batch = NextBatch(0, count); batch > 0; batch = NextBatch(batch, count)) {
    FLYBALL_TRY(Created(context, set, context.CreateAll(pod, batch)));
    count -= batch;
  }
  return {};
}

Result<> DeletePods(Context& context, const core::v1::ObjectReference& set,
                    std::span<const PodRef> pods) {
  std::vector<api::ObjectIdentity> identities;
  identities.reserve(pods.size());
  for (const PodRef& pod : pods) identities.push_back(api::IdentityOf(*pod));
  const auto deleted = context.DeleteAll(client::Resource::Of<views::Pod>(), identities);
  Result<> all;
  for (std::size_t i = 0; i < pods.size(); ++i) {
    if (deleted[i]) {
      context.events().Event(set, EventType::kNormal, "SuccessfulDelete",
                             "Deleted pod: " + std::string(pods[i]->metadata.name));
      continue;
    }
    const Error& error = deleted[i].error();
    // A conflict: another pod has its name by now.
    if (error.code() == ErrorCode::kNotFound || error.code() == ErrorCode::kConflict) continue;
    context.events().Event(set, EventType::kWarning, "FailedDelete",
                           "Error deleting: " + error.message());
    if (all) all = std::unexpected(error.Wrap("unable to delete pods"));
  }
  return all;
}

}  // namespace flyball::controllers::replica_set

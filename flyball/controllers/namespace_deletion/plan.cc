#include "flyball/controllers/namespace_deletion/plan.h"

#include <algorithm>
#include <set>
#include <utility>

#include "flyball/base/saturating.h"
#include "flyball/controllers/common/preferred_resources.h"

namespace flyball::controllers::namespace_deletion {
namespace {

using client::Resource;
using client::Served;
using client::ServedResource;
using core::v1::Namespace;
using core::v1::Pod;
using std::chrono::seconds;

constexpr std::string_view kFinalizer = "kubernetes";
/// For those who take finalizers off.
constexpr seconds kFinalizerEstimate(15);

}  // namespace

std::vector<ServedResource> Deletable(const Served& served) {
  std::vector<ServedResource> chosen = common::PreferredResources(served);
  std::erase_if(chosen, [](const ServedResource& resource) {
    return !resource.resource.namespaced || !resource.Has("delete");
  });
  return chosen;
}

seconds GraceOf(const Pod& pod, WallTime namespace_deleted, WallTime now) {
  if (pod.status.phase == "Succeeded" || pod.status.phase == "Failed") return {};
  const seconds grace(pod.spec.terminationGracePeriodSeconds.value_or(0));
  const auto passed = SaturatingSubtract(now, namespace_deleted);
  return passed < SaturatingNanoseconds(grace) ? grace : seconds{};
}

Remains RemainsOf(std::span<const meta::v1::PartialObjectMetadata> objects, seconds grace) {
  if (objects.empty()) return {};
  Remains remains{.objects = objects.size(), .estimate = grace};
  for (const auto& object : objects) {
    for (const std::string& finalizer : object.metadata.finalizers) {
      ++remains.finalizers[finalizer];
    }
  }
  if (grace == seconds{} && !remains.finalizers.empty()) remains.estimate = kFinalizerEstimate;
  return remains;
}

Error Unexpected(const std::string& space, const Resource& resource) {
  return {ErrorCode::kInternal, "unexpected items still remain in namespace: " + space +
                                    " for gvr: " + resource.group + "/" + resource.version +
                                    ", Resource=" + resource.plural};
}

void Findings::Add(const Resource& resource, const Remains& remains) {
  estimate = std::max(estimate, remains.estimate);
  if (remains.objects == 0) return;
  // PARITY: with a dot at the end where there is no group.
  remaining[resource.plural + "." + resource.group] += remains.objects;
  for (const auto& [finalizer, count] : remains.finalizers) finalizers[finalizer] += count;
}

void Findings::AddUnknown(std::span<const client::UnknownGroup> unknown) {
  if (unknown.empty()) return;
  std::set<std::string> groups;
  for (const auto& [group, version, reason] : unknown) {
    groups.insert((group.empty() ? version : group + "/" + version) + ": " + reason);
  }
  std::string text = "Discovery failed for some groups, " + std::to_string(unknown.size()) +
                     " failing: unable to retrieve the complete list of server APIs: ";
  for (bool first = true; const std::string& group : groups) {
    if (!std::exchange(first, false)) text += ", ";
    text += group;
  }
  discovery_failure = Error(ErrorCode::kUnavailable, std::move(text));
}

std::optional<Error> Findings::failure() const {
  if (discovery_failure) return discovery_failure;
  if (failures.empty()) return std::nullopt;
  if (failures.size() == 1) return failures.front();
  return failures.front().Wrap("of " + std::to_string(failures.size()) + " failures, the first");
}

Namespace Finalized(const Namespace& space) {
  Namespace finalized;
  finalized.metadata = space.metadata;
  finalized.spec = space.spec;
  std::set<std::string> others(space.spec.finalizers.begin(), space.spec.finalizers.end());
  others.erase(std::string(kFinalizer));
  finalized.spec.finalizers.assign(others.begin(), others.end());
  return finalized;
}

}  // namespace flyball::controllers::namespace_deletion

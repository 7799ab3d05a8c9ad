#include "flyball/controllers/claim_protection/live_pod_lister.h"

#include <memory>
#include <optional>
#include <utility>

#include "flyball/controllers/common/pod_claims.h"

namespace flyball::controllers::claim_protection {

using views::Pod;

Result<bool> LivePodLister::IsKept(runtime::Context& context, const PersistentVolumeClaim& claim) {
  if (const auto answer = Take(claim)) return answer->kept;
  FLYBALL_TRY(Answers answers, Ask(context, claim));
  const bool kept = answers[claim.metadata.name].kept;
  answers.erase(claim.metadata.name);
  const MutexLock lock(mutex_);
  if (answers.empty()) {
    answers_.erase(claim.metadata.namespace_);
  } else {
    answers_[claim.metadata.namespace_] = std::move(answers);
  }
  return kept;
}

Result<LivePodLister::Answers> LivePodLister::Ask(runtime::Context& context,
                                                  const PersistentVolumeClaim& claim) const {
  // Which are to go is known before the server is asked.
  std::map<std::string, cache::Ref<PersistentVolumeClaim>, std::less<>> waiting;
  for (auto& other : claims_.InNamespace(claim.metadata.namespace_)) {
    if (!common::IsKeptByProtection(*other, kFinalizer)) continue;
    waiting[other->metadata.name] = std::move(other);
  }
  // In its place, the one that was decided on: the cache may have another by now.
  waiting[claim.metadata.name] = std::make_shared<const PersistentVolumeClaim>(claim);
  Answers answers;
  for (const auto& [name, one] : waiting) {
    answers[name] = {.uid = one->metadata.uid, .resource_version = one->metadata.resourceVersion};
  }
  FLYBALL_TRY(context.client().Reader<Pod>().List(
      claim.metadata.namespace_, {}, context.stop(),
      [&](const std::shared_ptr<const Pod>& pod) -> Result<> {
        for (const common::PodClaim& meant : common::ClaimsOf(*pod)) {
          const auto found = waiting.find(meant.name);
          if (found == waiting.end()) continue;
          answers[meant.name].kept |= UsageBy(*pod, *found->second).keeps;
        }
        return {};
      }));
  return answers;
}

std::optional<LivePodLister::Answer> LivePodLister::Take(const PersistentVolumeClaim& claim) {
  const MutexLock lock(mutex_);
  const auto space = answers_.find(claim.metadata.namespace_);
  if (space == answers_.end()) return std::nullopt;
  auto taken = space->second.extract(claim.metadata.name);
  if (space->second.empty()) answers_.erase(space);
  if (taken.empty()) return std::nullopt;
  Answer& answer = taken.mapped();
  const bool same =
      answer.uid == claim.metadata.uid && answer.resource_version == claim.metadata.resourceVersion;
  return same ? std::optional(std::move(answer)) : std::nullopt;
}

void LivePodLister::Forget(const api::ObjectKey& claim) {
  const MutexLock lock(mutex_);
  const auto space = answers_.find(claim.namespace_);
  if (space == answers_.end()) return;
  space->second.erase(claim.name);
  if (space->second.empty()) answers_.erase(space);
}

}  // namespace flyball::controllers::claim_protection

#include "flyball/operator/last_applied.h"

#include <utility>

namespace flyball {
namespace {

const meta::v1::OwnerReference* ControllerIn(const meta::v1::ObjectMeta& metadata) {
  for (const meta::v1::OwnerReference& owner : metadata.ownerReferences) {
    if (owner.controller.value_or(false)) return &owner;
  }
  return nullptr;
}

}  // namespace

Result<ApplyStep> DecideApply(const meta::v1::ObjectMeta* existing, std::string_view owner,
                              std::uint64_t desired, const std::optional<LastApplied>& last) {
  if (existing == nullptr) return ApplyStep::kCreate;
  const meta::v1::OwnerReference* const controller = ControllerIn(*existing);
  if (controller == nullptr) {
    return Fail(ErrorCode::kAlreadyExists,
                existing->name + " already exists and has no controller");
  }
  if (controller->uid != owner) {
    return Fail(ErrorCode::kAlreadyExists, existing->name +
                                               " already exists and is controlled by " +
                                               controller->kind + " " + controller->name);
  }
  // Another can be made when it has gone, which the cache will tell.
  if (existing->deletionTimestamp) return ApplyStep::kNothing;
  if (!last || last->fingerprint != desired) return ApplyStep::kTakeBack;
  return last->settled == existing->resourceVersion ? ApplyStep::kNothing : ApplyStep::kCompare;
}

std::optional<LastApplied> LastAppliedCache::Find(const api::ObjectKey& owner,
                                                  const std::string& what) const {
  const MutexLock lock(mutex_);
  const auto of_owner = last_applied_.find(owner);
  if (of_owner == last_applied_.end()) return std::nullopt;
  const auto found = of_owner->second.find(what);
  return found == of_owner->second.end() ? std::nullopt : std::optional(found->second);
}

void LastAppliedCache::Remember(const api::ObjectKey& owner, const std::string& what,
                                LastApplied last_applied) {
  const MutexLock lock(mutex_);
  last_applied_[owner].insert_or_assign(what, std::move(last_applied));
}

void LastAppliedCache::Forget(const api::ObjectKey& owner) {
  const MutexLock lock(mutex_);
  last_applied_.erase(owner);
}

std::size_t LastAppliedCache::owners() const {
  const MutexLock lock(mutex_);
  return last_applied_.size();
}

}  // namespace flyball

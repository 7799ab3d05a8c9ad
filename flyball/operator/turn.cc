#include "flyball/operator/turn.h"

namespace flyball {

const std::shared_ptr<cache::InformerCore>& Turn::FindCache(std::type_index type,
                                                            std::string_view kind) const {
  for (const auto& [of, cache] : share_.caches) {
    if (of == type) return cache;
  }
  CheckFailed(__FILE__, __LINE__, "the kind is owned or watched",
              "a turn reads kind " + std::string(kind) +
                  ", which its ControllerBuilder neither owns nor watches");
}

void Turn::Own(meta::v1::ObjectMeta& metadata, bool namespaced) const {
  if (metadata.namespace_.empty() && namespaced) metadata.namespace_ = key_.namespace_;
  metadata.ownerReferences = {owner_};
}

Result<ApplyStep> Turn::Decide(const Wish& wish) const {
  const auto last = share_.applied.Find(key_, wish.name);
  FLYBALL_TRY(const ApplyStep step, DecideApply(wish.existing, owner_.uid, wish.fingerprint, last));
  if (step != ApplyStep::kCompare) return step;
  FLYBALL_TRY(const api::Json wanted, WantedOf(wish.wanted, wish.type));
  FLYBALL_TRY(const api::Json actual, api::ToJson(wish.actual, wish.type));
  if (!Satisfies(actual, wanted, wish.type)) return ApplyStep::kTakeBack;
  share_.applied.Remember(
      key_, wish.name,
      {.fingerprint = wish.fingerprint, .settled = wish.existing->resourceVersion});
  return ApplyStep::kNothing;
}

meta::v1::PatchOptions Turn::OptionsFor(ApplyStep step) const {
  meta::v1::PatchOptions options;
  options.fieldManager = share_.field_manager;
  options.force = step == ApplyStep::kTakeBack;
  return options;
}

Result<> Turn::Remember(const Wish& wish, const Result<runtime::Context::Stored>& stored) const {
  if (!stored) return std::unexpected(stored.error());
  share_.applied.Remember(
      key_, wish.name,
      {.fingerprint = wish.fingerprint, .settled = stored->metadata.resourceVersion});
  return {};
}

void Turn::Event(std::string_view reason, std::string_view message) const {
  context_.events().Event(about_, EventType::kNormal, reason, message);
}

void Turn::Warning(std::string_view reason, std::string_view message) const {
  context_.events().Event(about_, EventType::kWarning, reason, message);
}

}  // namespace flyball

#include "flyball/operator/reconcile_context.h"

namespace flyball {

const std::shared_ptr<cache::InformerCore>& ReconcileContext::FindCache(
    std::type_index type, std::string_view kind) const {
  for (const auto& [of, cache] : state_.caches) {
    if (of == type) return cache;
  }
  CheckFailed(__FILE__, __LINE__, "the kind is owned or watched",
              "a reconcile reads kind " + std::string(kind) +
                  ", which its ControllerBuilder neither owns nor watches");
}

void ReconcileContext::Own(meta::v1::ObjectMeta& metadata, bool namespaced) const {
  if (metadata.namespace_.empty() && namespaced) metadata.namespace_ = key_.namespace_;
  metadata.ownerReferences = {owner_};
}

Result<ApplyStep> ReconcileContext::Decide(const ApplyRequest& request) const {
  const auto last = state_.last_applied.Find(key_, request.name);
  FLYBALL_TRY(const ApplyStep step,
              DecideApply(request.existing, owner_.uid, request.fingerprint, last));
  if (step != ApplyStep::kCompare) return step;
  FLYBALL_TRY(const api::Json desired, ApplyConfigurationOf(request.desired, request.type));
  FLYBALL_TRY(const api::Json actual, api::ToJson(request.actual, request.type));
  if (!Satisfies(actual, desired, request.type)) return ApplyStep::kTakeBack;
  state_.last_applied.Remember(
      key_, request.name,
      {.fingerprint = request.fingerprint, .settled = request.existing->resourceVersion});
  return ApplyStep::kNothing;
}

meta::v1::PatchOptions ReconcileContext::OptionsFor(ApplyStep step) const {
  meta::v1::PatchOptions options;
  options.fieldManager = state_.field_manager;
  options.force = step == ApplyStep::kTakeBack;
  return options;
}

Result<> ReconcileContext::Remember(const ApplyRequest& request,
                                    const Result<runtime::Context::Stored>& stored) const {
  if (!stored) return std::unexpected(stored.error());
  state_.last_applied.Remember(
      key_, request.name,
      {.fingerprint = request.fingerprint, .settled = stored->metadata.resourceVersion});
  return {};
}

void ReconcileContext::Event(std::string_view reason, std::string_view message) const {
  runtime_context_.events().Event(about_, EventType::kNormal, reason, message);
}

void ReconcileContext::Warning(std::string_view reason, std::string_view message) const {
  runtime_context_.events().Event(about_, EventType::kWarning, reason, message);
}

}  // namespace flyball

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <typeindex>
#include <utility>
#include <vector>

#include "flyball/api/object_key.h"
#include "flyball/base/check.h"
#include "flyball/cache/informer.h"
#include "flyball/operator/apply_configuration.h"
#include "flyball/operator/conditions.h"
#include "flyball/operator/last_applied.h"
#include "flyball/operator/tolerant_object.h"
#include "flyball/runtime/context.h"
#include "flyball/runtime/controller_index.h"
#include "flyball/runtime/reconcile_queue.h"

namespace flyball {

using api::ObjectKey;
using runtime::EventType;
using runtime::Outcome;

/// State that all reconciles of a controller share.
struct ControllerState {
  std::string field_manager;  ///< whose the fields are that are applied
  std::vector<std::pair<std::type_index, std::shared_ptr<cache::InformerCore>>> caches = {};
  LastAppliedCache last_applied = {};
};

/// What the reconcile of one object reads and writes with. Reads are from caches and cost nothing.
/// The same object is not reconciled again before the caches show what this reconcile wrote.
///
///   Result<Outcome> Reconcile(ReconcileContext& context, const Website& site) {
///     FLYBALL_TRY(context.Apply(PageOf(site)));
///     ...
///
/// For the thread of the reconcile, until it ends.
class ReconcileContext {
 public:
  /// `owner` is the object that is reconciled.
  template <typename T>
  ReconcileContext(runtime::Context& runtime_context, ControllerState& state, const T& owner)
      : runtime_context_(runtime_context),
        state_(state),
        key_(ObjectKey::Of(owner)),
        about_(runtime::ReferenceTo(owner)),
        owner_(runtime::ControllerRefTo(owner)),
        generation_(owner.metadata.generation) {}

  /// The time that this reconcile goes by: the same at each call.
  WallTime now() const { return runtime_context_.now(); }
  const Logger& log() const { return runtime_context_.log(); }
  /// A stop is requested when the process ends, or when the reconcile takes too long.
  const std::stop_token& stop() const { return runtime_context_.stop(); }
  /// For reads of what no cache holds, and for writes that the next reconcile need not wait for.
  const client::Client& client() const { return runtime_context_.client(); }
  /// For all other writes, which the next reconcile waits for.
  runtime::Context& runtime_context() { return runtime_context_; }

  /// From the cache of a kind that the controller owns or watches; null if there is none.
  template <typename T>
  cache::Ref<T> Find(const ObjectKey& key) const {
    const auto found = Cache<T>().Get(key);
    return found && DecodeErrorOf(*found).empty() ? found : nullptr;
  }
  /// The same in the namespace of the reconciled object.
  template <typename T>
  cache::Ref<T> Find(std::string name) const {
    return Find<T>({key_.namespace_, std::move(name)});
  }
  /// All objects of a kind that the reconciled object controls.
  template <typename T>
  std::vector<cache::Ref<T>> Owned() const {
    std::vector<cache::Ref<T>> owned;
    for (auto& object :
         Cache<T>().ByIndex(runtime::kControllerIndex,
                            runtime::ControllerIndexValue(key_.namespace_, owner_.uid))) {
      if (DecodeErrorOf(*object).empty()) owned.push_back(std::move(object));
    }
    return owned;
  }

  /// Creates an object or updates it by server-side apply, so that it has the fields that are set
  /// in `desired`, and is controlled by the reconciled object. Fields that the last call set and
  /// this one does not are removed; fields of other managers stay, as do the server's defaults.
  /// Nothing is sent if nothing changes (see DecideApply()). An object of that name that another
  /// object controls, or none, is left alone: kAlreadyExists.
  template <typename T>
  Result<> Apply(T desired) {
    Own(desired.metadata, T::kType.resource->namespaced);
    const auto existing = Cache<T>().Get(ObjectKey::Of(desired));
    FLYBALL_TRY(const std::uint64_t fingerprint, Fingerprint(desired));
    const ApplyRequest request{
        .name = client::Resource::Of<T>().QualifiedName() + " " + desired.metadata.name,
        .type = T::kType,
        .desired = &desired,
        .fingerprint = fingerprint,
        .existing = existing ? &existing->metadata : nullptr,
        .actual = existing ? static_cast<const T*>(existing.get()) : nullptr};
    FLYBALL_TRY(const ApplyStep step, Decide(request));
    if (step == ApplyStep::kNothing) return {};
    FLYBALL_TRY(const api::Json sent, ApplyConfigurationOf(desired));
    return Remember(request, runtime_context_.Patch<T>(ObjectKey::Of(desired),
                                                       {client::PatchType::kApply, sent.ToString()},
                                                       OptionsFor(step)));
  }

  /// Deletes this object, which comes from a cache; not one that has been created since under its
  /// name.
  template <typename T>
  Result<> Delete(const T& object) {
    return runtime_context_.Delete(object);
  }

  /// Updates the object's status, if it differs.
  template <typename T, typename Status>
  Result<> SetStatus(const T& object, Status status) {
    T changed = object;
    changed.status = std::move(status);
    if (changed.status == object.status) return {};
    FLYBALL_TRY(runtime_context_.UpdateStatus(changed));
    return {};
  }
  /// See flyball::SetCondition().
  template <typename Item>
  bool SetCondition(std::vector<Item>& conditions, const Condition& condition) const {
    return flyball::SetCondition(conditions, condition, generation_, now());
  }

  /// Records a Normal event on the reconciled object: `reason` is one word for programs, `message`
  /// a sentence for people.
  void Event(std::string_view reason, std::string_view message) const;
  /// Records a Warning event on the reconciled object.
  void Warning(std::string_view reason, std::string_view message) const;

 private:
  struct ApplyRequest {
    std::string name;  ///< of what is to be so: "services web"
    const api::TypeInfo& type;
    const void* desired;
    std::uint64_t fingerprint;
    const meta::v1::ObjectMeta* existing;  ///< null: there is none
    const void* actual;
  };

  template <typename T>
  cache::Lister<Cached<T>> Cache() const {
    return cache::Lister<Cached<T>>(FindCache(typeid(Cached<T>), T::kType.name));
  }
  const std::shared_ptr<cache::InformerCore>& FindCache(std::type_index type,
                                                        std::string_view kind) const;

  void Own(meta::v1::ObjectMeta& metadata, bool namespaced) const;
  /// Never kCompare: the object is compared.
  Result<ApplyStep> Decide(const ApplyRequest& request) const;
  Result<> Remember(const ApplyRequest& request,
                    const Result<runtime::Context::Stored>& stored) const;
  meta::v1::PatchOptions OptionsFor(ApplyStep step) const;

  runtime::Context& runtime_context_;
  ControllerState& state_;
  const ObjectKey key_;
  const core::v1::ObjectReference about_;
  const meta::v1::OwnerReference owner_;
  const std::int64_t generation_;
};

/// The status of an object to begin from, where a CRD has it optional.
template <typename T>
auto StatusOf(const T& object) {
  if constexpr (requires { object.status.has_value(); }) {
    using Status = std::remove_cvref_t<decltype(*object.status)>;
    return object.status ? *object.status : Status();
  } else {
    return object.status;
  }
}

}  // namespace flyball

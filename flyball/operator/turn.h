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
#include "flyball/operator/applied.h"
#include "flyball/operator/conditions.h"
#include "flyball/operator/lenient.h"
#include "flyball/operator/wanted.h"
#include "flyball/runtime/context.h"
#include "flyball/runtime/controller_index.h"
#include "flyball/runtime/reconcile_queue.h"

namespace flyball {

using api::ObjectKey;
using runtime::EventType;
using runtime::Outcome;

/// What the turns of a controller have in common.
struct TurnShare {
  std::string field_manager;  ///< whose the fields are that are applied
  std::vector<std::pair<std::type_index, std::shared_ptr<cache::InformerCore>>> caches = {};
  AppliedMemory applied = {};
};

/// One reconcile of one object: what its author reads and writes with. Reads are from caches and
/// cost nothing; the next turn of the same object comes when the caches show what this one wrote.
///
///   Result<Outcome> Reconcile(Turn& turn, const Website& site) {
///     FLYBALL_TRY(turn.Apply(PageOf(site)));
///     ...
///
/// For the thread of the reconcile, until it ends.
class Turn {
 public:
  /// `owner` is the object whose turn it is.
  template <typename T>
  Turn(runtime::Context& context, TurnShare& share, const T& owner)
      : context_(context),
        share_(share),
        key_(ObjectKey::Of(owner)),
        about_(runtime::ReferenceTo(owner)),
        owner_(runtime::ControllerRefTo(owner)),
        generation_(owner.metadata.generation) {}

  /// The one time that this turn goes by.
  WallTime now() const { return context_.now(); }
  const Logger& log() const { return context_.log(); }
  /// Asked for when the process ends, or the turn takes too long.
  const std::stop_token& stop() const { return context_.stop(); }
  /// For what no cache shows, and for writes that nobody has to wait for.
  const client::Client& client() const { return context_.client(); }
  /// For all other writes, which the next turn waits for.
  runtime::Context& context() { return context_; }

  /// From the cache of a kind that the controller owns or watches; null if there is none.
  template <typename T>
  cache::Ref<T> Find(const ObjectKey& key) const {
    const auto found = Cache<T>().Get(key);
    return found && MisfitOf(*found).empty() ? found : nullptr;
  }
  /// The same in the namespace of the object whose turn it is.
  template <typename T>
  cache::Ref<T> Find(std::string name) const {
    return Find<T>({key_.namespace_, std::move(name)});
  }
  /// All of a kind that the object controls.
  template <typename T>
  std::vector<cache::Ref<T>> Owned() const {
    std::vector<cache::Ref<T>> owned;
    for (auto& object :
         Cache<T>().ByIndex(runtime::kControllerIndex,
                            runtime::ControllerIndexValue(key_.namespace_, owner_.uid))) {
      if (MisfitOf(*object).empty()) owned.push_back(std::move(object));
    }
    return owned;
  }

  /// Creates an object or changes it, so that what is set in `wanted` is so, and controlled by the
  /// object whose turn it is. What was set the last time and is not any more goes; what others set
  /// besides stays, as do the defaults of the server. Sent only if something is to be changed
  /// (see DecideApply()), by server-side apply. An object of that name that is another's, or
  /// nobody's, is left alone: kAlreadyExists.
  template <typename T>
  Result<> Apply(T wanted) {
    Own(wanted.metadata, T::kType.resource->namespaced);
    const auto existing = Cache<T>().Get(ObjectKey::Of(wanted));
    FLYBALL_TRY(const std::uint64_t fingerprint, Fingerprint(wanted));
    const Wish wish{.name = client::Resource::Of<T>().QualifiedName() + " " + wanted.metadata.name,
                    .type = T::kType,
                    .wanted = &wanted,
                    .fingerprint = fingerprint,
                    .existing = existing ? &existing->metadata : nullptr,
                    .actual = existing ? static_cast<const T*>(existing.get()) : nullptr};
    FLYBALL_TRY(const ApplyStep step, Decide(wish));
    if (step == ApplyStep::kNothing) return {};
    FLYBALL_TRY(const api::Json sent, WantedOf(wanted));
    return Remember(
        wish, context_.Patch<T>(ObjectKey::Of(wanted), {client::PatchType::kApply, sent.ToString()},
                                OptionsFor(step)));
  }

  /// Deletes this very object, from a cache.
  template <typename T>
  Result<> Delete(const T& object) {
    return context_.Delete(object);
  }

  /// Gives the object another status, if it is another.
  template <typename T, typename Status>
  Result<> SetStatus(const T& object, Status status) {
    T changed = object;
    changed.status = std::move(status);
    if (changed.status == object.status) return {};
    FLYBALL_TRY(context_.UpdateStatus(changed));
    return {};
  }
  /// See flyball::SetCondition().
  template <typename Item>
  bool SetCondition(std::vector<Item>& conditions, const Condition& condition) const {
    return flyball::SetCondition(conditions, condition, generation_, now());
  }

  /// For people who look at the object: what was done, in a word for programs and in a sentence.
  void Event(std::string_view reason, std::string_view message) const;
  /// The same for what went wrong.
  void Warning(std::string_view reason, std::string_view message) const;

 private:
  struct Wish {
    std::string name;  ///< of what is to be so: "services web"
    const api::TypeInfo& type;
    const void* wanted;
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
  Result<ApplyStep> Decide(const Wish& wish) const;
  Result<> Remember(const Wish& wish, const Result<runtime::Context::Stored>& stored) const;
  meta::v1::PatchOptions OptionsFor(ApplyStep step) const;

  runtime::Context& context_;
  TurnShare& share_;
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

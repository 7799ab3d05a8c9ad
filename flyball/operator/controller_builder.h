#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flyball/operator/finalizer.h"
#include "flyball/operator/manager.h"
#include "flyball/operator/predicates.h"
#include "flyball/operator/reconcile_context.h"

namespace flyball {

/// What a reconcile came to, with a conflict made a requeue with back-off. A conflict means that
/// the cache is behind: nothing is wrong, so nothing is reported.
Result<Outcome> WithoutConflict(Result<Outcome> outcome);

/// Records a Warning event, and logs an error, for an object that its type cannot hold. The object
/// is not reconciled until it changes.
void ReportDecodeError(runtime::Context& runtime_context, const core::v1::ObjectReference& about,
                       std::string_view decode_error);

/// Describes a controller for objects of kind T, and adds it to a manager:
///
///   ControllerBuilder<Website>(manager, "website")
///       .Owns<Deployment>()
///       .Watches<Secret>(WebsitesThatUse)
///       .Finalizer("web.example.com/cleanup", CleanUp)
///       .Reconcile(Reconcile);
///
/// An object is reconciled when it changes, when an object that it owns changes, and when a change
/// of a watched object is mapped to it. One object has one reconcile at a time, however many
/// changes there were since the last one.
///
/// T is a generated kind. One thread.
template <typename T>
class ControllerBuilder {
 public:
  using ReconcileFunction =
      std::function<Result<Outcome>(ReconcileContext& context, const T& object)>;
  template <typename W>
  using Mapping = std::function<std::vector<ObjectKey>(const W& object)>;

  ControllerBuilder(Manager& manager, std::string name)
      : manager_(manager), plan_(std::make_shared<Plan>()) {
    plan_->name = std::move(name);
    plan_->manager = manager.options();
  }

  /// Filters changes of the reconciled objects themselves, as controller-runtime's predicates do.
  /// Without this each change is a reconcile.
  ControllerBuilder& When(Predicate<T> predicate) {
    plan_->when = std::move(predicate);
    return *this;
  }
  /// A kind that its objects own, made by ReconcileContext::Apply(). A change of an owned object
  /// reconciles its controlling owner.
  template <typename C>
  ControllerBuilder& Owns(Predicate<C> when = {}) {
    plan_->reads.push_back([when = std::move(when)](Wiring& wiring) {
      const auto informer = wiring.template Read<C>();
      runtime::IndexByController(informer);
      wiring.template Follow<Cached<C>>(informer, when,
                                        [](const C& object) { return OwnerOf(object); });
    });
    return *this;
  }
  /// A kind that its objects depend on without owning it. `mapping` returns the keys to reconcile
  /// when an object of that kind changes.
  template <typename W>
  ControllerBuilder& Watches(Mapping<W> mapping, Predicate<W> when = {}) {
    plan_->reads.push_back([mapping = std::move(mapping), when = std::move(when)](Wiring& wiring) {
      wiring.template Follow<Cached<W>>(wiring.template Read<W>(), when, mapping);
    });
    return *this;
  }
  /// The same for a resource of which nothing is known but its name.
  ControllerBuilder& Watches(client::Resource resource, Mapping<api::Json> mapping,
                             Predicate<api::Json> when = {}) {
    plan_->reads.push_back([resource = std::move(resource), mapping = std::move(mapping),
                            when = std::move(when)](Wiring& wiring) {
      wiring.template Follow<api::Json>(
          wiring.controller.Reads(resource, wiring.OptionsFor(resource.namespaced)), when, mapping);
    });
    return *this;
  }
  /// How many objects are reconciled at the same time; one without this. Never the same object
  /// twice.
  ControllerBuilder& MaxConcurrentReconciles(std::size_t reconciles) {
    plan_->max_concurrent_reconciles = reconciles;
    return *this;
  }
  /// Reconciles every object at this interval, changed or not: for state outside of the cluster.
  ControllerBuilder& Resync(std::chrono::nanoseconds interval) {
    plan_->resync = interval;
    return *this;
  }
  /// Clean-up that has to be done before an object may be deleted. The finalizer,
  /// "example.com/word", is added to each object before its first reconcile, and removed when
  /// `finalize` returns Outcome::Done().
  ControllerBuilder& Finalizer(std::string finalizer, ReconcileFunction finalize) {
    plan_->finalizer = std::move(finalizer);
    plan_->finalize = std::move(finalize);
    return *this;
  }

  /// The reconcile function: makes the cluster what an object's spec asks for. Not called for an
  /// object that is being deleted. This ends the description.
  void Reconcile(ReconcileFunction reconcile) {
    plan_->reconcile = std::move(reconcile);
    manager_.Add(plan_->name, [plan = std::shared_ptr<const Plan>(plan_)](const auto& deps) {
      return Make(plan, deps);
    });
  }

 private:
  using Queue = runtime::ReconcileQueue<ObjectKey>;
  /// Predicates and mappings may ask the API server. The answer comes on the thread that reads the
  /// changes, which must not wait for it.
  static constexpr cache::Delivery kAuthorsCode = cache::Delivery::kAsync;

  /// What a controller is connected with while it is made.
  struct Wiring {
    runtime::Controller& controller;
    ControllerState& state;
    const std::string& namespace_;
    Queue* queue = nullptr;

    cache::InformerOptions OptionsFor(bool namespaced) const {
      return {.namespace_ = namespaced ? namespace_ : std::string()};
    }
    template <typename W>
    cache::Informer<Cached<W>> Read() {
      auto informer =
          controller.template Reads<Cached<W>>(OptionsFor(W::kType.resource->namespaced));
      state.caches.emplace_back(typeid(Cached<W>), informer.core());
      return informer;
    }
    /// Adds the keys that `keys_of` finds in an object, when that changes.
    template <typename W, typename When, typename KeysOf>
    void Follow(const cache::Informer<W>& informer, When when, KeysOf keys_of,
                std::chrono::nanoseconds resync = {}) {
      const auto ask = [queue = queue, keys_of](const W& object, queue::Priority priority) {
        if (!DecodeErrorOf(object).empty()) return;
        for (const ObjectKey& key : keys_of(object)) queue->Add(key, priority);
      };
      controller.template On<W>(
          informer,
          {.added =
               [ask](const auto& now, bool initial) {
                 ask(*now, initial ? queue::Priority::kBackground : queue::Priority::kLive);
               },
           .updated =
               [ask, when](const auto& before, const auto& now) {
                 if (before != now && when && !when(*before, *now)) return;
                 // It may have been another's before.
                 if (before != now) ask(*before, queue::Priority::kLive);
                 ask(*now, before == now ? queue::Priority::kBackground : queue::Priority::kLive);
               },
           .deleted = [ask](const auto& last, bool) { ask(*last, queue::Priority::kLive); }},
          {.delivery = kAuthorsCode, .resync = resync});
    }
  };

  struct Plan {
    std::string name;
    ManagerOptions manager;
    Predicate<T> when = {};
    std::vector<std::function<void(Wiring&)>> reads = {};
    std::size_t max_concurrent_reconciles = 1;
    std::chrono::nanoseconds resync = {};
    std::string finalizer = {};
    ReconcileFunction finalize = {};
    ReconcileFunction reconcile = {};
  };

  static std::vector<ObjectKey> OwnerOf(const auto& object) {
    const auto* const owner = runtime::ControllerOf(object);
    if (owner == nullptr || owner->kind != T::kType.name) return {};
    if (owner->apiVersion.substr(0, owner->apiVersion.find('/')) != T::kType.group) return {};
    const bool namespaced = T::kType.resource->namespaced;
    return {{namespaced ? object.metadata.namespace_ : std::string(), owner->name}};
  }

  static std::unique_ptr<runtime::Controller> Make(const std::shared_ptr<const Plan>& plan,
                                                   const runtime::Controller::Deps& deps) {
    auto controller = std::make_unique<runtime::Controller>(plan->name, deps);
    const auto state = std::make_shared<ControllerState>();
    state->field_manager = plan->manager.name;
    Wiring wiring{*controller, *state, plan->manager.namespace_};
    const auto informer = wiring.template Read<T>();
    wiring.queue = &controller->template AddQueue<ObjectKey>(
        {.name = plan->name, .workers = plan->max_concurrent_reconciles},
        [plan, state, objects = informer.lister()](runtime::Context& runtime_context,
                                                   const ObjectKey& key) {
          return ReconcileKey(*plan, *state, runtime_context, objects.Get(key), key);
        });
    Queue& queue = *wiring.queue;
    controller->template On<Cached<T>>(
        informer,
        {.added =
             [&queue](const auto& now, bool initial) {
               queue.Add(ObjectKey::Of(*now),
                         initial ? queue::Priority::kBackground : queue::Priority::kLive);
             },
         .updated =
             [&queue, plan](const auto& before, const auto& now) {
               const bool resync = before == now;
               if (!resync && plan->when && !plan->when(*before, *now)) return;
               queue.Add(ObjectKey::Of(*now),
                         resync ? queue::Priority::kBackground : queue::Priority::kLive);
             },
         .deleted = [&queue](const auto& last, bool) { queue.Add(ObjectKey::Of(*last)); }},
        {.delivery = kAuthorsCode, .resync = plan->resync});
    for (const auto& read : plan->reads) read(wiring);
    return controller;
  }

  static Result<Outcome> ReconcileKey(const Plan& plan, ControllerState& state,
                                      runtime::Context& runtime_context,
                                      const cache::Ref<Cached<T>>& cached, const ObjectKey& key) {
    if (cached == nullptr) {
      state.last_applied.Forget(key);
      return Outcome::Done();
    }
    const T& object = *cached;
    if (const std::string_view decode_error = DecodeErrorOf(*cached); !decode_error.empty()) {
      ReportDecodeError(runtime_context, runtime::ReferenceTo(object), decode_error);
      return Outcome::Done();
    }
    ReconcileContext context(runtime_context, state, object);
    if (object.metadata.deletionTimestamp) return RunFinalizer(plan, context, object);
    if (!plan.finalizer.empty() && !HasFinalizer(object.metadata, plan.finalizer)) {
      // The update event of this patch reconciles the object again.
      FLYBALL_TRY(AddFinalizer(runtime_context, object, plan.finalizer));
      return Outcome::Done();
    }
    return WithoutConflict(plan.reconcile(context, object));
  }

  static Result<Outcome> RunFinalizer(const Plan& plan, ReconcileContext& context,
                                      const T& object) {
    if (plan.finalizer.empty() || !HasFinalizer(object.metadata, plan.finalizer)) {
      return Outcome::Done();
    }
    auto outcome = WithoutConflict(plan.finalize(context, object));
    if (!outcome || outcome->requeue_after || outcome->with_backoff) return outcome;
    FLYBALL_TRY(RemoveFinalizer(context.runtime_context(), object, plan.finalizer));
    return Outcome::Done();
  }

  Manager& manager_;
  const std::shared_ptr<Plan> plan_;
};

}  // namespace flyball

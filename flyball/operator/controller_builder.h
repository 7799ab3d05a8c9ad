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
#include "flyball/operator/turn.h"

namespace flyball {

/// Says in whose words a reconcile's error ends. A conflict means that the cache is behind: the
/// turn comes again soon, and there is nothing to report.
Result<Outcome> WithoutConflict(Result<Outcome> outcome);

/// Tells people of an object that does not fit its type. It has no turn until it changes.
void ReportMisfit(runtime::Context& context, const core::v1::ObjectReference& about,
                  std::string_view misfit);

/// Describes a controller for objects of kind T, and adds it to a manager:
///
///   ControllerBuilder<Website>(manager, "website")
///       .Owns<Deployment>()
///       .Watches<Secret>(WebsitesThatUse)
///       .Finalizer("web.example.com/farewell", Farewell)
///       .Reconcile(Reconcile);
///
/// An object has a turn when it changes, when something that it owns changes, and when a change
/// of what is watched is mapped to it: one turn at a time for each object, and however many changes
/// there were since the last.
///
/// T is a generated kind. One thread.
template <typename T>
class ControllerBuilder {
 public:
  using ReconcileFunction = std::function<Result<Outcome>(Turn& turn, const T& object)>;
  template <typename W>
  using Mapping = std::function<std::vector<ObjectKey>(const W& object)>;

  ControllerBuilder(Manager& manager, std::string name)
      : manager_(manager), plan_(std::make_shared<Plan>()) {
    plan_->name = std::move(name);
    plan_->manager = manager.options();
  }

  /// Which changes of the objects themselves are worth a turn; without this all are.
  ControllerBuilder& When(Predicate<T> predicate) {
    plan_->when = std::move(predicate);
    return *this;
  }
  /// What its objects control, by Turn::Apply(): a change of it is a turn of the owner.
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
  /// What its objects have to do with without owning it: `mapping` says which have a turn when it
  /// changes.
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
  /// How many objects have a turn at the same time; one without this. Never the same object twice.
  ControllerBuilder& Concurrency(std::size_t turns) {
    plan_->concurrency = turns;
    return *this;
  }
  /// Has every object a turn so often, changed or not: for what changes outside of the cluster.
  ControllerBuilder& Resync(std::chrono::nanoseconds interval) {
    plan_->resync = interval;
    return *this;
  }
  /// What has to be seen to before an object may go. The finalizer, "example.com/word", is put on
  /// each object before its first reconcile, and taken off when `farewell` is done.
  ControllerBuilder& Finalizer(std::string finalizer, ReconcileFunction farewell) {
    plan_->finalizer = std::move(finalizer);
    plan_->farewell = std::move(farewell);
    return *this;
  }

  /// Brings the world into line with what an object says; not called for one that is being deleted.
  /// This ends the description.
  void Reconcile(ReconcileFunction reconcile) {
    plan_->reconcile = std::move(reconcile);
    manager_.Add(plan_->name, [plan = std::shared_ptr<const Plan>(plan_)](const auto& deps) {
      return Make(plan, deps);
    });
  }

 private:
  using Queue = runtime::ReconcileQueue<ObjectKey>;

  /// What a controller is connected with while it is made.
  struct Wiring {
    runtime::Controller& controller;
    TurnShare& share;
    const std::string& namespace_;
    Queue* queue = nullptr;

    cache::InformerOptions OptionsFor(bool namespaced) const {
      return {.namespace_ = namespaced ? namespace_ : std::string()};
    }
    template <typename W>
    cache::Informer<Cached<W>> Read() {
      auto informer =
          controller.template Reads<Cached<W>>(OptionsFor(W::kType.resource->namespaced));
      share.caches.emplace_back(typeid(Cached<W>), informer.core());
      return informer;
    }
    /// Adds the keys that `keys_of` finds in an object, when that changes.
    template <typename W, typename When, typename KeysOf>
    void Follow(const cache::Informer<W>& informer, When when, KeysOf keys_of,
                std::chrono::nanoseconds resync = {}) {
      const auto ask = [queue = queue, keys_of](const W& object, queue::Priority priority) {
        if (!MisfitOf(object).empty()) return;
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
          resync);
    }
  };

  struct Plan {
    std::string name;
    ManagerOptions manager;
    Predicate<T> when = {};
    std::vector<std::function<void(Wiring&)>> reads = {};
    std::size_t concurrency = 1;
    std::chrono::nanoseconds resync = {};
    std::string finalizer = {};
    ReconcileFunction farewell = {};
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
    const auto share = std::make_shared<TurnShare>();
    share->field_manager = plan->manager.name;
    Wiring wiring{*controller, *share, plan->manager.namespace_};
    const auto informer = wiring.template Read<T>();
    wiring.queue = &controller->template AddQueue<ObjectKey>(
        {.name = plan->name, .workers = plan->concurrency},
        [plan, share, objects = informer.lister()](runtime::Context& context,
                                                   const ObjectKey& key) {
          return TakeTurn(*plan, *share, context, objects.Get(key), key);
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
        plan->resync);
    for (const auto& read : plan->reads) read(wiring);
    return controller;
  }

  static Result<Outcome> TakeTurn(const Plan& plan, TurnShare& share, runtime::Context& context,
                                  const cache::Ref<Cached<T>>& cached, const ObjectKey& key) {
    if (cached == nullptr) {
      share.applied.Forget(key);
      return Outcome::Done();
    }
    const T& object = *cached;
    if (const std::string_view misfit = MisfitOf(*cached); !misfit.empty()) {
      ReportMisfit(context, runtime::ReferenceTo(object), misfit);
      return Outcome::Done();
    }
    Turn turn(context, share, object);
    if (object.metadata.deletionTimestamp) return SayFarewell(plan, turn, object);
    if (!plan.finalizer.empty() && !HasFinalizer(object.metadata, plan.finalizer)) {
      // The change that this makes is the next turn.
      FLYBALL_TRY(AddFinalizer(context, object, plan.finalizer));
      return Outcome::Done();
    }
    return WithoutConflict(plan.reconcile(turn, object));
  }

  static Result<Outcome> SayFarewell(const Plan& plan, Turn& turn, const T& object) {
    if (plan.finalizer.empty() || !HasFinalizer(object.metadata, plan.finalizer)) {
      return Outcome::Done();
    }
    auto outcome = WithoutConflict(plan.farewell(turn, object));
    if (!outcome || outcome->again_after || outcome->backs_off) return outcome;
    FLYBALL_TRY(RemoveFinalizer(turn.context(), object, plan.finalizer));
    return Outcome::Done();
  }

  Manager& manager_;
  const std::shared_ptr<Plan> plan_;
};

}  // namespace flyball

#include "flyball/controllers/garbage_collector/collector.h"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include "flyball/controllers/garbage_collector/patches.h"

namespace flyball::controllers::garbage_collector {
namespace {

using api::ObjectKey;
using client::Patch;
using client::Resource;
using meta::v1::ObjectMeta;
using meta::v1::OwnerReference;
using meta::v1::PartialObjectMetadata;
using runtime::Context;
using runtime::Outcome;

/// How many dependents are orphaned at a time.
constexpr std::size_t kPatchesAtOnce = 20;

/// Where something is, if its kind is in namespaces: references do not say.
ObjectKey PlaceOf(const Resource& resource, const std::string& namespace_,
                  const std::string& name) {
  return {resource.namespaced ? namespace_ : std::string(), name};
}

bool Is(const Error& error, ErrorCode code) { return error.code() == code; }

using MakePatch = std::function<Result<Patch>(const ObjectMeta&)>;

/// Patches what does not take strategic patches. The object is read again if it is not given.
Result<ObjectMeta> PatchWhole(Context& context, const Resource& resource, const ObjectKey& key,
                              const MakePatch& whole) {
  const auto objects = context.client().Metadata(resource);
  FLYBALL_TRY(const auto live, objects.Get(key));
  FLYBALL_TRY(const Patch patch, whole(live.metadata));
  FLYBALL_TRY(auto patched, objects.Patch(key, patch));
  return std::move(patched.metadata);
}

Result<ObjectMeta> PatchObject(Context& context, const Resource& resource, const ObjectMeta& object,
                               const Patch& patch, const MakePatch& whole) {
  const ObjectKey key{object.namespace_, object.name};
  auto patched = context.client().Metadata(resource).Patch(key, patch);
  if (patched) return std::move(patched->metadata);
  if (!Is(patched.error(), ErrorCode::kUnsupportedMediaType)) {
    return std::unexpected(patched.error());
  }
  return PatchWhole(context, resource, key, whole);
}

/// Nothing is wrong when an object has changed since it was read: the next look sees what it is.
Result<Outcome> DoneUnlessChanged(const Result<ObjectMeta>& written) {
  if (written || Is(written.error(), ErrorCode::kNotFound)) return Outcome::Done();
  if (Is(written.error(), ErrorCode::kConflict)) return Outcome::RequeueWithBackoff();
  return std::unexpected(written.error());
}

}  // namespace

Result<Outcome> Collector::AttemptToDelete(Context& context, PackedUid uid) const {
  const auto node = deps_.graph.Find(uid);
  // What is being deleted goes by itself; then its dependents have their turn.
  if (!node || (node->being_deleted && !node->deleting_dependents)) return Outcome::Done();
  if (node->deleting_dependents) {
    Blockers blockers = deps_.graph.BlockersOf(uid);
    if (blockers.any) {
      deps_.tell({.to_delete = std::move(blockers.to_delete)});
      return Outcome::Done();
    }
  }

  const Identity& identity = node->identity;
  context.log().V(2).Info("Processing item", {{"item", identity}, {"virtual", node->is_virtual}});
  const auto resource = deps_.monitors.Find(identity.api_version, identity.kind);
  if (!resource) {
    // The kind may come yet. PARITY: an owner of a kind that never comes is waited for for ever.
    context.log().V(5).Info("error syncing item",
                            {{"item", identity}, {"err", "no REST mapping for its kind"}});
    return Outcome::RequeueWithBackoff();
  }
  // Something that is in no namespace says that it is owned by something that must be in one.
  if (resource->namespaced && identity.namespace_.empty()) return Outcome::Done();

  FLYBALL_TRY(Live live, AskFor(context, *resource, identity));
  if (live.state == Live::State::kUnknown) return Outcome::RequeueWithBackoff();
  if (live.state == Live::State::kAbsent) {
    context.log().V(5).Info("item not found, generating a virtual delete event",
                            {{"item", identity}});
    return FoundAbsent(*resource, identity);
  }
  if (node->deleting_dependents) {
    return RemoveFinalizer(context, *resource, live.object, kForegroundFinalizer);
  }
  FLYBALL_TRY(const Outcome outcome, Decide(context, *resource, *node, std::move(live.object)));
  // One that came and went while nobody watched would stay virtual for ever if nobody asked again.
  return node->is_virtual ? Outcome::RequeueWithBackoff() : outcome;
}

Result<Collector::Live> Collector::Ask(Context& context, const Resource& resource,
                                       const ObjectKey& key) const {
  auto object = context.client().Metadata(resource).Get(key);
  if (object) return Live{Live::State::kThere, std::move(object->metadata)};
  if (!Is(object.error(), ErrorCode::kNotFound)) return std::unexpected(object.error());
  // DIVERGES: upstream believes it. But a server that does not serve a kind, or not yet, says the
  // same of all objects of it, and dependents would be deleted whose owners are there.
  const bool reliable = deps_.monitors.IsReliable(resource);
  return Live{reliable ? Live::State::kAbsent : Live::State::kUnknown};
}

Result<Collector::Live> Collector::AskFor(Context& context, const Resource& resource,
                                          const Identity& identity) const {
  FLYBALL_TRY(Live live,
              Ask(context, resource, PlaceOf(resource, identity.namespace_, identity.name)));
  if (live.state == Live::State::kThere && live.object.uid != identity.uid) {
    live.state = Live::State::kAbsent;
  }
  return live;
}

Outcome Collector::FoundAbsent(const Resource& resource, Identity identity) const {
  if (!resource.namespaced) identity.namespace_.clear();
  deps_.tell(deps_.graph.FoundAbsent(identity));
  // It may go by another name.
  const auto node = deps_.graph.Find(PackedUid::Of(identity.uid));
  return node && node->is_virtual ? Outcome::RequeueWithBackoff() : Outcome::Done();
}

Result<Collector::Owners> Collector::OwnersOf(Context& context, const ObjectMeta& object) const {
  Owners owners;
  for (const OwnerReference& reference : object.ownerReferences) {
    Identity identity{.kind = reference.kind,
                      .api_version = reference.apiVersion,
                      .namespace_ = "",
                      .name = reference.name,
                      .uid = reference.uid};
    bool absent = deps_.graph.IsKnownAbsent(identity);
    identity.namespace_ = object.namespace_;
    absent = absent || deps_.graph.IsKnownAbsent(identity);
    if (absent) {
      owners.states.push_back(OwnerState::kDangling);
      continue;
    }
    const auto resource = deps_.monitors.Find(reference.apiVersion, reference.kind);
    if (!resource) {
      owners.undecided = Outcome::RequeueWithBackoff();
      return owners;
    }
    // It can have no such owner, and will never have. PARITY: it stays.
    if (resource->namespaced && object.namespace_.empty()) {
      owners.undecided = Outcome::Done();
      return owners;
    }
    FLYBALL_TRY(const Live live, AskForOwner(context, object, reference, *resource));
    if (live.state == Live::State::kUnknown) {
      owners.undecided = Outcome::RequeueWithBackoff();
      return owners;
    }
    owners.states.push_back(live.state == Live::State::kAbsent ? OwnerState::kDangling
                                                               : StateOf(live.object));
  }
  return owners;
}

Result<Collector::Live> Collector::AskForOwner(Context& context, const ObjectMeta& object,
                                               const OwnerReference& reference,
                                               const Resource& resource) const {
  const ObjectKey key = PlaceOf(resource, object.namespace_, reference.name);
  FLYBALL_TRY(Live live, Ask(context, resource, key));
  if (live.state == Live::State::kThere && live.object.uid != reference.uid) {
    live.state = Live::State::kAbsent;
  }
  if (live.state == Live::State::kAbsent) {
    deps_.graph.RememberAbsent({.kind = reference.kind,
                                .api_version = reference.apiVersion,
                                .namespace_ = key.namespace_,
                                .name = reference.name,
                                .uid = reference.uid});
  }
  return live;
}

Result<Outcome> Collector::Decide(Context& context, const Resource& resource, const NodeState& node,
                                  ObjectMeta object) const {
  if (object.ownerReferences.empty() && !object.deletionTimestamp) {
    context.log().V(2).Info("item doesn't have an owner, continue on next item",
                            {{"item", node.identity}});
  }
  if (object.ownerReferences.empty() || object.deletionTimestamp) return Outcome::Done();
  FLYBALL_TRY(const Owners owners, OwnersOf(context, object));
  if (owners.undecided) return *owners.undecided;

  const bool some_wait =
      std::ranges::find(owners.states, OwnerState::kWaiting) != owners.states.end();
  const Plan plan =
      PlanFor(object, owners.states,
              {.has_dependents = node.has_dependents,
               .has_waiting_dependent =
                   some_wait && deps_.graph.HasWaitingDependent(PackedUid::Of(node.identity.uid))});
  LogPlan(context, node.identity, object, owners, plan);
  context.Decided(plan.ToString());
  switch (plan.action) {
    case Plan::Action::kLeave:
      break;
    case Plan::Action::kRemoveReferences:
      return DoneUnlessChanged(PatchObject(
          context, resource, object, WithoutOwners(object.uid, plan.remove),
          [&](const ObjectMeta& live) { return WithoutOwnersWhole(live, plan.remove); }));
    case Plan::Action::kDelete:
      if (plan.unblock) {
        FLYBALL_TRY(const Patch patch, Unblocked(object));
        const auto unblocked = PatchObject(context, resource, object, patch, UnblockedWhole);
        if (!unblocked) return DoneUnlessChanged(unblocked);
        object = *unblocked;
      }
      return Delete(context, resource, node.identity, object, plan.propagation);
  }
  return Outcome::Done();
}

void Collector::LogPlan(const Context& context, const Identity& item, const ObjectMeta& object,
                        const Owners& owners, const Plan& plan) {
  const auto log = context.log().V(2);
  if (!log) return;
  const auto those = [&](OwnerState state) {
    std::vector<std::string> names;
    for (std::size_t at = 0; at < owners.states.size(); ++at) {
      const OwnerReference& owner = object.ownerReferences[at];
      if (owners.states[at] == state) names.push_back(owner.kind + "/" + owner.name);
    }
    return names;
  };
  switch (plan.action) {
    case Plan::Action::kLeave:
      return log.Info("item has at least one existing owner, will not garbage collect",
                      {{"item", item}, {"owner", those(OwnerState::kSolid)}});
    case Plan::Action::kRemoveReferences:
      return log.Info("remove dangling references and waiting references for item",
                      {{"item", item},
                       {"dangling", those(OwnerState::kDangling)},
                       {"waitingForDependentsDeletion", those(OwnerState::kWaiting)}});
    case Plan::Action::kDelete:
      return log.Info(
          "Deleting item",
          {{"item", item}, {"propagationPolicy", plan.propagation}, {"plan", plan.ToString()}});
  }
}

Result<Outcome> Collector::Delete(Context& context, const Resource& resource,
                                  const Identity& identity, const ObjectMeta& object,
                                  std::string_view propagation) const {
  meta::v1::DeleteOptions options;
  options.propagationPolicy = std::string(propagation);
  options.preconditions.emplace().resourceVersion = object.resourceVersion;
  const api::ObjectIdentity which{object.namespace_, object.name, object.uid,
                                  object.resourceVersion};
  auto deleted = context.Delete(resource, which, options);
  if (!deleted && Is(deleted.error(), ErrorCode::kConflict)) {
    FLYBALL_TRY(const Live live, AskFor(context, resource, identity));
    if (live.state == Live::State::kUnknown) return Outcome::RequeueWithBackoff();
    if (live.state == Live::State::kAbsent) return FoundAbsent(resource, identity);
    // It was decided on its owners, and they are the same: one that changes all the time would
    // never go.
    if (live.object.ownerReferences != object.ownerReferences) return Outcome::RequeueWithBackoff();
    options.preconditions.reset();
    deleted = context.Delete(resource, which, options);
  }
  if (deleted) return Outcome::Done();
  if (Is(deleted.error(), ErrorCode::kNotFound)) return FoundAbsent(resource, identity);
  if (Is(deleted.error(), ErrorCode::kConflict)) return Outcome::RequeueWithBackoff();
  return std::unexpected(deleted.error());
}

Result<Outcome> Collector::RemoveFinalizer(Context& context, const Resource& resource,
                                           const ObjectMeta& object,
                                           std::string_view finalizer) const {
  if (!HasFinalizer(object, finalizer)) return Outcome::Done();
  const std::string api_version = resource.ApiVersion();
  context.log().V(2).Info(finalizer == kForegroundFinalizer
                              ? "remove DeleteDependents finalizer for item"
                              : "remove orphan finalizer for item",
                          {{"item", LogReference{.api_version = api_version,
                                                 .kind = resource.kind,
                                                 .namespace_ = object.namespace_,
                                                 .name = object.name,
                                                 .uid = object.uid}}});
  const auto patched = context.client().Metadata(resource).Patch(
      {object.namespace_, object.name}, WithoutFinalizer(object, finalizer));
  if (patched) return Outcome::Done();
  return DoneUnlessChanged(std::unexpected(patched.error()));
}

Result<Outcome> Collector::AttemptToOrphan(Context& context, PackedUid uid) const {
  const auto node = deps_.graph.Find(uid);
  if (!node) return Outcome::Done();
  const auto resource = deps_.monitors.Find(node->identity.api_version, node->identity.kind);
  if (!resource) return Outcome::RequeueWithBackoff();
  FLYBALL_TRY(const Live live, AskFor(context, *resource, node->identity));
  if (live.state == Live::State::kUnknown) return Outcome::RequeueWithBackoff();
  if (live.state == Live::State::kAbsent) return FoundAbsent(*resource, node->identity);
  if (!HasFinalizer(live.object, kOrphanFinalizer)) return Outcome::Done();

  const auto removed = RemoveOwner(context, deps_.graph.Dependents(uid), live.object.uid);
  if (!removed && Is(removed.error(), ErrorCode::kConflict)) return Outcome::RequeueWithBackoff();
  FLYBALL_TRY(removed);
  context.log().V(5).Info("successfully updated all dependents", {{"owner", node->identity}});
  return RemoveFinalizer(context, *resource, live.object, kOrphanFinalizer);
}

Result<> Collector::RemoveOwner(Context& context, std::span<const Identity> dependents,
                                const std::string& owner) const {
  Refusals refusals;
  for (std::size_t begin = 0; begin < dependents.size(); begin += kPatchesAtOnce) {
    if (context.stop().stop_requested()) return Fail(ErrorCode::kCancelled, "asked to stop");
    const std::size_t end = std::min(dependents.size(), begin + kPatchesAtOnce);
    RemoveOwnerAtOnce(context, dependents.subspan(begin, end - begin), owner, refusals);
  }
  if (!refusals.first) return {};
  return std::unexpected(refusals.first->Wrap("failed to orphan " + std::to_string(refusals.count) +
                                              " of " + std::to_string(dependents.size()) +
                                              " dependents, the first"));
}

void Collector::Refusals::Add(const Identity& dependent, const Error& error) {
  ++count;
  // One that has only changed meanwhile is no reason to tell anybody, unless it is the only one.
  const bool is_news = !first || (Is(*first, ErrorCode::kConflict) && !Is(error, first->code()));
  if (is_news) first = error.Wrap(dependent.ToString());
}

void Collector::RemoveOwnerAtOnce(Context& context, std::span<const Identity> dependents,
                                  const std::string& owner, Refusals& refusals) const {
  struct Patching {
    const Identity& dependent;
    Resource resource;
    client::Pending<PartialObjectMetadata> answer;
  };
  const std::span<const std::string> owners(&owner, 1);
  std::vector<Patching> patching;
  for (const Identity& dependent : dependents) {
    const auto resource = deps_.monitors.Find(dependent.api_version, dependent.kind);
    if (!resource) {
      refusals.Add(dependent, {ErrorCode::kUnavailable, "its kind is not known"});
      continue;
    }
    const auto objects = context.client().Metadata(*resource);
    const Patch patch = WithoutOwners(dependent.uid, owners);
    patching.push_back({dependent, *resource, objects.Async().Patch(dependent.key(), patch)});
  }

  const auto whole = [&](const ObjectMeta& object) { return WithoutOwnersWhole(object, owners); };
  for (Patching& one : patching) {
    const auto patched = one.answer.Wait();
    Result<> done;
    if (!patched) done = std::unexpected(patched.error());
    if (!done && Is(done.error(), ErrorCode::kUnsupportedMediaType)) {
      const auto put = PatchWhole(context, one.resource, one.dependent.key(), whole);
      done = put ? Result<>() : std::unexpected(put.error());
    }
    // One that has lost the reference already is patched to what it is.
    if (!done && !Is(done.error(), ErrorCode::kNotFound)) refusals.Add(one.dependent, done.error());
  }
}

}  // namespace flyball::controllers::garbage_collector

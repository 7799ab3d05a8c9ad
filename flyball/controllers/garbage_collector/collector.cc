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
  if (Is(written.error(), ErrorCode::kConflict)) return Outcome::Later();
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
  const auto resource = deps_.monitors.Find(identity.api_version, identity.kind);
  if (!resource) {
    // The kind may come yet. PARITY: an owner of a kind that never comes is waited for for ever.
    context.log().V(5).Info("The kind of an object is not known",
                            {{"object", identity.ToString()}});
    return Outcome::Later();
  }
  // Something that is in no namespace says that it is owned by something that must be in one.
  if (resource->namespaced && identity.namespace_.empty()) return Outcome::Done();

  FLYBALL_TRY(Live live, AskFor(context, *resource, identity));
  if (live.state == Live::State::kUnknown) return Outcome::Later();
  if (live.state == Live::State::kAbsent) return FoundAbsent(*resource, identity);
  if (node->deleting_dependents) {
    return RemoveFinalizer(context, *resource, live.object, kForegroundFinalizer);
  }
  FLYBALL_TRY(const Outcome outcome, Decide(context, *resource, *node, std::move(live.object)));
  // One that came and went while nobody watched would stay virtual for ever if nobody asked again.
  return node->is_virtual ? Outcome::Later() : outcome;
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
  if (live.state == Live::State::kThere && PackedUid::Of(live.object.uid) != identity.uid) {
    live.state = Live::State::kAbsent;
  }
  return live;
}

Outcome Collector::FoundAbsent(const Resource& resource, Identity identity) const {
  if (!resource.namespaced) identity.namespace_.clear();
  deps_.tell(deps_.graph.FoundAbsent(identity));
  // It may go by another name.
  const auto node = deps_.graph.Find(identity.uid);
  return node && node->is_virtual ? Outcome::Later() : Outcome::Done();
}

Result<Collector::Owners> Collector::OwnersOf(Context& context, const ObjectMeta& object) const {
  Owners owners;
  for (const OwnerReference& reference : object.ownerReferences) {
    Identity identity{.kind = reference.kind,
                      .api_version = reference.apiVersion,
                      .namespace_ = "",
                      .name = reference.name,
                      .uid = PackedUid::Of(reference.uid)};
    bool absent = deps_.graph.IsKnownAbsent(identity);
    identity.namespace_ = object.namespace_;
    absent = absent || deps_.graph.IsKnownAbsent(identity);
    if (absent) {
      owners.states.push_back(OwnerState::kDangling);
      continue;
    }
    const auto resource = deps_.monitors.Find(reference.apiVersion, reference.kind);
    if (!resource) {
      owners.undecided = Outcome::Later();
      return owners;
    }
    // It can have no such owner, and will never have. PARITY: it stays.
    if (resource->namespaced && object.namespace_.empty()) {
      owners.undecided = Outcome::Done();
      return owners;
    }
    FLYBALL_TRY(const Live live, AskForOwner(context, object, reference, *resource));
    if (live.state == Live::State::kUnknown) {
      owners.undecided = Outcome::Later();
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
                                .uid = PackedUid::Of(reference.uid)});
  }
  return live;
}

Result<Outcome> Collector::Decide(Context& context, const Resource& resource, const NodeState& node,
                                  ObjectMeta object) const {
  if (object.ownerReferences.empty() || object.deletionTimestamp) return Outcome::Done();
  FLYBALL_TRY(const Owners owners, OwnersOf(context, object));
  if (owners.undecided) return *owners.undecided;

  const bool some_wait =
      std::ranges::find(owners.states, OwnerState::kWaiting) != owners.states.end();
  const Plan plan = PlanFor(
      object, owners.states,
      {.has_dependents = node.has_dependents,
       .has_waiting_dependent = some_wait && deps_.graph.HasWaitingDependent(node.identity.uid)});
  std::string decided = plan.ToString();
  if (const auto log = context.log().V(plan.action == Plan::Action::kLeave ? 5 : 2)) {
    log.Info("Looked at an object", {{"object", node.identity.ToString()}, {"plan", decided}});
  }
  context.Decided(std::move(decided));
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
    if (live.state == Live::State::kUnknown) return Outcome::Later();
    if (live.state == Live::State::kAbsent) return FoundAbsent(resource, identity);
    // It was decided on its owners, and they are the same: one that changes all the time would
    // never go.
    if (live.object.ownerReferences != object.ownerReferences) return Outcome::Later();
    options.preconditions.reset();
    deleted = context.Delete(resource, which, options);
  }
  if (deleted) return Outcome::Done();
  if (Is(deleted.error(), ErrorCode::kNotFound)) return FoundAbsent(resource, identity);
  if (Is(deleted.error(), ErrorCode::kConflict)) return Outcome::Later();
  return std::unexpected(deleted.error());
}

Result<Outcome> Collector::RemoveFinalizer(Context& context, const Resource& resource,
                                           const ObjectMeta& object,
                                           std::string_view finalizer) const {
  if (!HasFinalizer(object, finalizer)) return Outcome::Done();
  context.log().V(2).Info("Removing a finalizer",
                          {{"object", object.namespace_ + "/" + object.name},
                           {"resource", resource.QualifiedName()},
                           {"finalizer", finalizer}});
  const auto patched = context.client().Metadata(resource).Patch(
      {object.namespace_, object.name}, WithoutFinalizer(object, finalizer));
  if (patched) return Outcome::Done();
  return DoneUnlessChanged(std::unexpected(patched.error()));
}

Result<Outcome> Collector::AttemptToOrphan(Context& context, PackedUid uid) const {
  const auto node = deps_.graph.Find(uid);
  if (!node) return Outcome::Done();
  const auto resource = deps_.monitors.Find(node->identity.api_version, node->identity.kind);
  if (!resource) return Outcome::Later();
  FLYBALL_TRY(const Live live, AskFor(context, *resource, node->identity));
  if (live.state == Live::State::kUnknown) return Outcome::Later();
  if (live.state == Live::State::kAbsent) return FoundAbsent(*resource, node->identity);
  if (!HasFinalizer(live.object, kOrphanFinalizer)) return Outcome::Done();

  const auto removed = RemoveOwner(context, deps_.graph.Dependents(uid), live.object.uid);
  if (!removed && Is(removed.error(), ErrorCode::kConflict)) return Outcome::Later();
  FLYBALL_TRY(removed);
  return RemoveFinalizer(context, *resource, live.object, kOrphanFinalizer);
}

Result<> Collector::RemoveOwner(Context& context, std::span<const Identity> dependents,
                                const std::string& owner) const {
  for (std::size_t begin = 0; begin < dependents.size(); begin += kPatchesAtOnce) {
    if (context.stop().stop_requested()) return Fail(ErrorCode::kCancelled, "asked to stop");
    const std::size_t end = std::min(dependents.size(), begin + kPatchesAtOnce);
    FLYBALL_TRY(RemoveOwnerAtOnce(context, dependents.subspan(begin, end - begin), owner));
  }
  return {};
}

Result<> Collector::RemoveOwnerAtOnce(Context& context, std::span<const Identity> dependents,
                                      const std::string& owner) const {
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
      return Fail(ErrorCode::kUnavailable, "orphaning: kind not known: " + dependent.ToString());
    }
    const auto objects = context.client().Metadata(*resource);
    const Patch patch = WithoutOwners(dependent.uid.ToString(), owners);
    patching.push_back({dependent, *resource, objects.Async().Patch(dependent.key(), patch)});
  }

  Result<> result;
  const auto whole = [&](const ObjectMeta& object) { return WithoutOwnersWhole(object, owners); };
  for (Patching& one : patching) {
    const auto patched = one.answer.Wait();
    Result<> done;
    if (!patched) done = std::unexpected(patched.error());
    if (!done && Is(done.error(), ErrorCode::kUnsupportedMediaType)) {
      const auto put = PatchWhole(context, one.resource, one.dependent.key(), whole);
      done = put ? Result<>() : std::unexpected(put.error());
    }
    if (done || Is(done.error(), ErrorCode::kNotFound) || !result) continue;
    result = std::unexpected(done.error().Wrap("orphaning " + one.dependent.ToString()));
  }
  return result;
}

}  // namespace flyball::controllers::garbage_collector

#include "flyball/controllers/garbage_collector/graph.h"

#include <optional>
#include <string>

#include "flyball/controllers/garbage_collector/plan.h"

namespace flyball::controllers::garbage_collector {
namespace {

using meta::v1::ObjectMeta;
using meta::v1::OwnerReference;
using Index = GraphStore::Index;
constexpr Index kNone = GraphStore::kNone;

/// Whether two are called the same, wherever they are.
bool SameButNamespace(const Identity& a, const Identity& b) {
  return a.kind == b.kind && a.api_version == b.api_version && a.name == b.name && a.uid == b.uid;
}

/// Whether a dependent that names its owner so means this one. What is in no namespace can be owned
/// from everywhere.
bool Means(const Identity& named, const Identity& owner) {
  return SameButNamespace(named, owner) &&
         (owner.namespace_.empty() || owner.namespace_ == named.namespace_);
}

/// What an owner that is not there is remembered by. The lengths keep a text that looks like two of
/// them from being taken for those.
std::optional<std::string> AbsenceKey(const Identity& owner) {
  std::string key;
  for (const std::string* const text :
       {&owner.kind, &owner.api_version, &owner.namespace_, &owner.name, &owner.uid}) {
    if (text->size() > Graph::kAbsentText) return std::nullopt;
    key += std::to_string(text->size()) + ":" + *text;
  }
  if (key.size() > Graph::kAbsentText) return std::nullopt;
  return key;
}

}  // namespace

Consequences Graph::Observe(std::string_view api_version, std::string_view kind,
                            const ObjectMeta& object) {
  const Identity seen{.kind = std::string(kind),
                      .api_version = std::string(api_version),
                      .namespace_ = object.namespace_,
                      .name = object.name,
                      .uid = object.uid};
  Consequences consequences;
  const MutexLock lock(mutex_);
  Index node = store_.Find(PackedUid::Of(seen.uid));
  if (node == kNone) {
    node = store_.Add(seen);
  } else if (store_.node(node).is_virtual || store_.node(node).is_absent) {
    MeetOwner(node, seen, consequences);
  }
  SetOwners(node, object.ownerReferences, consequences);
  SetDeletion(node, object, consequences);
  return consequences;
}

/// Those who spoke of it before it was seen may have been wrong about it. If they were not, a look
/// at them changes nothing.
void Graph::MeetOwner(Index node, const Identity& seen, Consequences& consequences) {
  for (const Index edge : PartDependents(node, seen).second) {
    const Index dependent = store_.edge(edge).dependent;
    const Identity named = store_.NamedBy(edge);
    if (!seen.namespace_.empty() && named.namespace_ != seen.namespace_) {
      consequences.misplaced.push_back({store_.IdentityOf(dependent), named});
    }
    consequences.to_delete.push_back(store_.node(dependent).uid);
  }
  store_.Rename(node, seen);
  store_.node(node).is_virtual = store_.node(node).is_absent = false;
}

void Graph::SetOwners(Index node, const std::vector<OwnerReference>& references,
                      Consequences& consequences) {
  if (store_.HasOwners(node, references)) return;
  const Index before = store_.TakeOwners(node);
  const auto edge_to = [this](Index edge, Index owner) FLYBALL_REQUIRES(mutex_) {
    while (edge != kNone && store_.edge(edge).owner != owner) edge = store_.edge(edge).next_owner;
    return edge;
  };

  bool doubtful = false;
  for (const OwnerReference& reference : references) {
    Index owner = store_.Find(PackedUid::Of(reference.uid));
    const bool kept = owner != kNone && edge_to(before, owner) != kNone;
    const bool unseen = !kept && (owner == kNone || store_.node(owner).is_absent);
    if (unseen) owner = AddVirtual(node, reference, consequences);
    const Index edge = store_.Link(node, owner, reference);
    // PARITY: of several references that do not fit, people are told of the first.
    if (!kept && !unseen && !doubtful) doubtful = IsDoubtful(edge, consequences);
  }
  if (doubtful) consequences.to_delete.push_back(store_.node(node).uid);

  // DIVERGES: upstream has a look at owners that nobody deletes, too, which changes nothing.
  for (Index old = before; old != kNone; old = store_.edge(old).next_owner) {
    const Index owner = store_.edge(old).owner;
    const Index now = edge_to(store_.node(node).owners, owner);
    const bool unblocked = store_.edge(old).blocks && (now == kNone || !store_.edge(now).blocks);
    if (unblocked && store_.node(owner).deleting_dependents) {
      consequences.to_delete.push_back(store_.node(owner).uid);
    }
  }
  DropOwners(before);
}

Index Graph::AddVirtual(Index dependent, const OwnerReference& reference,
                        Consequences& consequences) {
  const Identity identity{.kind = reference.kind,
                          .api_version = reference.apiVersion,
                          .namespace_ = store_.IdentityOf(dependent).namespace_,
                          .name = reference.name,
                          .uid = reference.uid};
  const PackedUid uid = PackedUid::Of(identity.uid);
  Index owner = store_.Find(uid);
  if (owner == kNone) {
    owner = store_.Add(identity);
  } else {
    store_.Rename(owner, identity);
    store_.node(owner).is_absent = false;
  }
  store_.node(owner).is_virtual = true;
  if (settled_) consequences.to_delete.push_back(uid);
  return owner;
}

bool Graph::IsDoubtful(Index edge, Consequences& consequences) const {
  const Index dependent = store_.edge(edge).dependent;
  const Index owner = store_.edge(edge).owner;
  const Identity named = store_.NamedBy(edge);
  const Identity known = store_.IdentityOf(owner);
  const bool is_virtual = store_.node(owner).is_virtual;
  if (!known.namespace_.empty() && known.namespace_ != named.namespace_) {
    if (!is_virtual) consequences.misplaced.push_back({store_.IdentityOf(dependent), named});
    return true;
  }
  // An owner that one without a namespace spoke of first may be of a kind that is in namespaces.
  return !SameButNamespace(named, known) || (is_virtual && known.namespace_ != named.namespace_);
}

void Graph::SetDeletion(Index at, const ObjectMeta& object, Consequences& consequences) {
  GraphStore::Node& node = store_.node(at);
  const bool being_deleted = object.deletionTimestamp.has_value();
  const bool orphans = being_deleted && HasFinalizer(object, kOrphanFinalizer);
  const bool deletes = being_deleted && !orphans && HasFinalizer(object, kForegroundFinalizer);
  if (orphans && !node.orphaning_dependents) consequences.to_orphan.push_back(node.uid);
  if (deletes && !node.deleting_dependents) {
    AddDependents(at, consequences);
    consequences.to_delete.push_back(node.uid);
  }
  node.being_deleted = being_deleted;
  node.orphaning_dependents = orphans;
  node.deleting_dependents = deletes;
}

Consequences Graph::Remove(PackedUid uid) {
  Consequences consequences;
  const MutexLock lock(mutex_);
  const Index node = FindPresent(uid);
  if (node != kNone) RemoveNode(node, store_.IdentityOf(node), consequences);
  return consequences;
}

void Graph::RemoveNode(Index at, const Identity& identity, Consequences& consequences) {
  if (store_.node(at).dependents != kNone) {
    NoteAbsent(identity);
    AddDependents(at, consequences);
  }
  AddWaitingOwners(at, consequences);
  const Index owners = store_.TakeOwners(at);
  GraphStore::Node& node = store_.node(at);
  node.is_absent = true;
  node.is_virtual = node.being_deleted = node.orphaning_dependents = node.deleting_dependents =
      false;
  DropOwners(owners);
  // Unless it was its own last dependent.
  if (node.is_absent && node.dependents == kNone) store_.Erase(at);
}

/// What nobody has seen is there for its dependents only, and goes with the last.
void Graph::DropOwners(Index edges) {
  std::vector<Index> owners;
  for (Index edge = edges; edge != kNone; edge = store_.edge(edge).next_owner) {
    owners.push_back(store_.edge(edge).owner);
  }
  store_.Destroy(edges);
  for (const Index owner : owners) {
    const GraphStore::Node& node = store_.node(owner);
    if ((node.is_virtual || node.is_absent) && node.dependents == kNone) store_.Erase(owner);
  }
}

void Graph::AddWaitingOwners(Index node, Consequences& consequences) const {
  for (Index edge = store_.node(node).owners; edge != kNone; edge = store_.edge(edge).next_owner) {
    const GraphStore::Node& owner = store_.node(store_.edge(edge).owner);
    if (owner.deleting_dependents) consequences.to_delete.push_back(owner.uid);
  }
}

void Graph::AddDependents(Index node, Consequences& consequences) const {
  for (Index edge = store_.node(node).dependents; edge != kNone;
       edge = store_.edge(edge).next_dependent) {
    consequences.to_delete.push_back(store_.node(store_.edge(edge).dependent).uid);
  }
}

std::pair<std::vector<Index>, std::vector<Index>> Graph::PartDependents(
    Index node, const Identity& identity) const {
  std::pair<std::vector<Index>, std::vector<Index>> parts;
  for (Index edge = store_.node(node).dependents; edge != kNone;
       edge = store_.edge(edge).next_dependent) {
    if (Means(store_.NamedBy(edge), identity)) {
      parts.first.push_back(store_.edge(edge).dependent);
    } else {
      parts.second.push_back(edge);
    }
  }
  return parts;
}

Consequences Graph::FoundAbsent(const Identity& identity) {
  Consequences consequences;
  const MutexLock lock(mutex_);
  const Index node = FindPresent(PackedUid::Of(identity.uid));
  if (node == kNone) return consequences;
  const Identity known = store_.IdentityOf(node);
  const bool is_virtual = store_.node(node).is_virtual;
  // It was asked for as the node has it, if its kind turned out to be in no namespace.
  const bool same = is_virtual && identity.namespace_.empty() ? SameButNamespace(known, identity)
                                                              : known == identity;
  const auto [meant, others] = PartDependents(node, identity);
  if (is_virtual ? others.empty() : same) {
    RemoveNode(node, identity, consequences);
    return consequences;
  }
  // Some know it by another name, which may be the right one, or which has been seen to be.
  if (!meant.empty()) NoteAbsent(identity);
  for (const Index dependent : meant) {
    consequences.to_delete.push_back(store_.node(dependent).uid);
  }
  if (is_virtual && same) {
    if (const auto other = OtherIdentity(others, identity)) store_.Rename(node, *other);
  }
  return consequences;
}

/// The next after the one that is absent, or the first if it was the last: so all have their turn.
std::optional<Identity> Graph::OtherIdentity(const std::vector<Index>& edges,
                                             const Identity& absent) const {
  std::optional<Identity> first;
  std::optional<Identity> following;
  for (const Index edge : edges) {
    Identity named = store_.NamedBy(edge);
    const bool is_in_none = absent.namespace_.empty() && named.kind == absent.kind &&
                            named.api_version == absent.api_version;
    if (is_in_none) named.namespace_.clear();
    if (named == absent) continue;
    if (!first || named < *first) first = named;
    if (absent < named && (!following || named < *following)) following = std::move(named);
  }
  return following ? following : first;
}

Consequences Graph::ForgetKind(std::string_view api_version, std::string_view kind) {
  Consequences consequences;
  const MutexLock lock(mutex_);
  for (const Index at : store_.All()) {
    GraphStore::Node& node = store_.node(at);
    // Others may have gone with what they were there for.
    if (!node.name.is_set() || node.is_virtual || node.is_absent) continue;
    if (!store_.IsOfKind(at, api_version, kind)) continue;
    AddWaitingOwners(at, consequences);
    const Index owners = store_.TakeOwners(at);
    node.is_virtual = true;
    node.being_deleted = node.orphaning_dependents = node.deleting_dependents = false;
    const PackedUid uid = node.uid;
    const bool owns = node.dependents != kNone;
    DropOwners(owners);
    if (!owns) {
      store_.Erase(at);
    } else if (settled_ && FindPresent(uid) != kNone) {
      consequences.to_delete.push_back(uid);
    }
  }
  return consequences;
}

Consequences Graph::Settle() {
  Consequences consequences;
  const MutexLock lock(mutex_);
  settled_ = true;
  for (const Index at : store_.All()) {
    if (store_.node(at).is_virtual) consequences.to_delete.push_back(store_.node(at).uid);
  }
  return consequences;
}

Index Graph::FindPresent(PackedUid uid) const {
  const Index node = store_.Find(uid);
  return node == kNone || store_.node(node).is_absent ? kNone : node;
}

std::optional<NodeState> Graph::Find(PackedUid uid) const {
  const MutexLock lock(mutex_);
  const Index at = FindPresent(uid);
  if (at == kNone) return std::nullopt;
  const GraphStore::Node& node = store_.node(at);
  return NodeState{.identity = store_.IdentityOf(at),
                   .is_virtual = node.is_virtual,
                   .being_deleted = node.being_deleted,
                   .deleting_dependents = node.deleting_dependents,
                   .has_dependents = node.dependents != kNone};
}

std::string Graph::NamespaceOf(PackedUid uid) const {
  const MutexLock lock(mutex_);
  const Index at = FindPresent(uid);
  return at == kNone ? std::string() : store_.IdentityOf(at).namespace_;
}

std::vector<Identity> Graph::Dependents(PackedUid owner) const {
  std::vector<Identity> dependents;
  const MutexLock lock(mutex_);
  const Index node = FindPresent(owner);
  if (node == kNone) return dependents;
  for (Index edge = store_.node(node).dependents; edge != kNone;
       edge = store_.edge(edge).next_dependent) {
    dependents.push_back(store_.IdentityOf(store_.edge(edge).dependent));
  }
  return dependents;
}

Blockers Graph::BlockersOf(PackedUid owner) const {
  Blockers blockers;
  const MutexLock lock(mutex_);
  const Index node = FindPresent(owner);
  if (node == kNone) return blockers;
  for (Index at = store_.node(node).dependents; at != kNone; at = store_.edge(at).next_dependent) {
    if (!store_.edge(at).blocks) continue;
    blockers.any = true;
    const GraphStore::Node& dependent = store_.node(store_.edge(at).dependent);
    if (!dependent.being_deleted) blockers.to_delete.push_back(dependent.uid);
  }
  return blockers;
}

bool Graph::HasWaitingDependent(PackedUid owner) const {
  const MutexLock lock(mutex_);
  const Index node = FindPresent(owner);
  if (node == kNone) return false;
  Index edge = store_.node(node).dependents;
  while (edge != kNone && !store_.node(store_.edge(edge).dependent).deleting_dependents) {
    edge = store_.edge(edge).next_dependent;
  }
  return edge != kNone;
}

void Graph::RememberAbsent(const Identity& owner) {
  const MutexLock lock(mutex_);
  NoteAbsent(owner);
}

void Graph::NoteAbsent(const Identity& owner) {
  if (const auto key = AbsenceKey(owner)) absent_.Use(*key);
}

bool Graph::IsKnownAbsent(const Identity& owner) {
  const auto key = AbsenceKey(owner);
  const MutexLock lock(mutex_);
  return key && absent_.Find(*key) != nullptr;
}

std::size_t Graph::nodes() const {
  const MutexLock lock(mutex_);
  return store_.nodes();
}

std::size_t Graph::edges() const {
  const MutexLock lock(mutex_);
  return store_.edges();
}

}  // namespace flyball::controllers::garbage_collector

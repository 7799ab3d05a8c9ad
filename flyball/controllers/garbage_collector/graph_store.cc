#include "flyball/controllers/garbage_collector/graph_store.h"

#include <utility>

namespace flyball::controllers::garbage_collector {
namespace {

using meta::v1::OwnerReference;

/// A place for one more, if possible one that was used before.
template <typename T>
GraphStore::Index Take(std::deque<T>& all, std::vector<GraphStore::Index>& free) {
  if (free.empty()) {
    all.emplace_back();
    return static_cast<GraphStore::Index>(all.size() - 1);
  }
  const GraphStore::Index at = free.back();
  free.pop_back();
  return at;
}

}  // namespace

GraphStore::Index GraphStore::Find(PackedUid uid) const {
  Index at = buckets_[BucketOf(uid)];
  while (at != kNone && nodes_[at].uid != uid) at = nodes_[at].next_in_bucket;
  return at;
}

GraphStore::Index GraphStore::Add(const Identity& identity) {
  if (used_ == buckets_.size()) Grow();
  const Index at = Take(nodes_, free_nodes_);
  Node& node = nodes_[at];
  node.uid = PackedUid::Of(identity.uid);
  if (!node.uid.IsUuid()) other_uids_.emplace(at, identity.uid);
  node.api_version = texts_.Use(identity.api_version);
  node.kind = texts_.Use(identity.kind);
  node.space = texts_.Use(identity.namespace_);
  node.name = CompactText(identity.name);
  node.next_in_bucket = std::exchange(buckets_[BucketOf(node.uid)], at);
  ++used_;
  return at;
}

void GraphStore::Grow() {
  buckets_.assign(buckets_.size() * 2, kNone);
  for (Index at = 0; at < nodes_.size(); ++at) {
    if (!nodes_[at].name.is_set()) continue;  // a free place
    nodes_[at].next_in_bucket = std::exchange(buckets_[BucketOf(nodes_[at].uid)], at);
  }
}

void GraphStore::Erase(Index at) {
  Node& node = nodes_[at];
  Index* link = &buckets_[BucketOf(node.uid)];
  while (*link != at) link = &nodes_[*link].next_in_bucket;
  *link = node.next_in_bucket;
  texts_.Drop(node.api_version);
  texts_.Drop(node.kind);
  texts_.Drop(node.space);
  if (!node.uid.IsUuid()) other_uids_.erase(at);
  node = Node();
  free_nodes_.push_back(at);
  --used_;
}

void GraphStore::Rename(Index at, const Identity& identity) {
  Node& node = nodes_[at];
  if (node.name.view() != identity.name) {
    for (Index to = node.dependents; to != kNone; to = edges_[to].next_dependent) {
      if (!edges_[to].name.is_set()) edges_[to].name = CompactText(node.name.view());
    }
    node.name = CompactText(identity.name);
  }
  const auto set = [this](SharedTexts::Number& number, std::string_view text) {
    const SharedTexts::Number before = std::exchange(number, texts_.Use(text));
    texts_.Drop(before);
  };
  set(node.api_version, identity.api_version);
  set(node.kind, identity.kind);
  set(node.space, identity.namespace_);
}

GraphStore::Index GraphStore::Link(Index dependent, Index owner, const OwnerReference& reference) {
  const Index at = Take(edges_, free_edges_);
  Edge& edge = edges_[at];
  edge.dependent = dependent;
  edge.owner = owner;
  edge.api_version = texts_.Use(reference.apiVersion);
  edge.kind = texts_.Use(reference.kind);
  edge.blocks = reference.blockOwnerDeletion.value_or(false);
  if (reference.name != nodes_[owner].name.view()) edge.name = CompactText(reference.name);

  Index* last = &nodes_[dependent].owners;
  while (*last != kNone) last = &edges_[*last].next_owner;
  *last = at;

  edge.next_dependent = std::exchange(nodes_[owner].dependents, at);
  if (edge.next_dependent != kNone) edges_[edge.next_dependent].previous_dependent = at;
  return at;
}

GraphStore::Index GraphStore::TakeOwners(Index dependent) {
  return std::exchange(nodes_[dependent].owners, kNone);
}

void GraphStore::Destroy(Index first) {
  while (first != kNone) {
    Edge& edge = edges_[first];
    (edge.previous_dependent == kNone ? nodes_[edge.owner].dependents
                                      : edges_[edge.previous_dependent].next_dependent) =
        edge.next_dependent;
    if (edge.next_dependent != kNone) {
      edges_[edge.next_dependent].previous_dependent = edge.previous_dependent;
    }
    texts_.Drop(edge.api_version);
    texts_.Drop(edge.kind);
    free_edges_.push_back(first);
    first = std::exchange(edge, Edge()).next_owner;
  }
}

std::string GraphStore::UidOf(Index at) const {
  const PackedUid uid = nodes_[at].uid;
  return uid.IsUuid() ? uid.ToString() : other_uids_.at(at);
}

Identity GraphStore::IdentityOf(Index at) const {
  const Node& node = nodes_[at];
  return {.kind = texts_[node.kind],
          .api_version = texts_[node.api_version],
          .namespace_ = texts_[node.space],
          .name = std::string(node.name.view()),
          .uid = UidOf(at)};
}

Identity GraphStore::NamedBy(Index edge) const {
  const Edge& named = edges_[edge];
  return {.kind = texts_[named.kind],
          .api_version = texts_[named.api_version],
          .namespace_ = texts_[nodes_[named.dependent].space],
          .name = std::string(NameOf(named)),
          .uid = UidOf(named.owner)};
}

bool GraphStore::IsOfKind(Index at, std::string_view api_version, std::string_view kind) const {
  return texts_[nodes_[at].api_version] == api_version && texts_[nodes_[at].kind] == kind;
}

bool GraphStore::HasOwners(Index dependent, const std::vector<OwnerReference>& references) const {
  Index at = nodes_[dependent].owners;
  for (const OwnerReference& reference : references) {
    if (at == kNone) return false;
    const Edge& edge = edges_[at];
    const bool same = nodes_[edge.owner].uid == PackedUid::Of(reference.uid) &&
                      edge.blocks == reference.blockOwnerDeletion.value_or(false) &&
                      NameOf(edge) == reference.name && texts_[edge.kind] == reference.kind &&
                      texts_[edge.api_version] == reference.apiVersion;
    if (!same) return false;
    at = edge.next_owner;
  }
  return at == kNone;
}

std::vector<GraphStore::Index> GraphStore::All() const {
  std::vector<Index> all;
  all.reserve(used_);
  for (Index at = 0; at < nodes_.size(); ++at) {
    if (nodes_[at].name.is_set()) all.push_back(at);
  }
  return all;
}

}  // namespace flyball::controllers::garbage_collector

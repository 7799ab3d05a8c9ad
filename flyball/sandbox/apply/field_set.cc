#include "flyball/sandbox/apply/field_set.h"

#include <algorithm>
#include <iterator>

namespace flyball::sandbox::apply {
namespace {

bool Before(const FieldSet::Node& node, const PathElement& element) {
  return node.element.Compare(element) < 0;
}

/// Calls `match(a, b)` for each node of `a` that `b` has too.
template <typename Nodes, typename Match>
void ForEachShared(Nodes& a, const std::vector<FieldSet::Node>& b, Match match) {
  auto in_a = a.begin();
  auto in_b = b.begin();
  while (in_a != a.end() && in_b != b.end()) {
    const int order = in_a->element.Compare(in_b->element);
    if (order == 0) match(*in_a, *in_b);
    if (order <= 0) ++in_a;
    if (order >= 0) ++in_b;
  }
}

}  // namespace

std::size_t FieldSet::Size() const {
  std::size_t size = 0;
  for (const Node& node : nodes_) size += (node.owned ? 1 : 0) + node.children.Size();
  return size;
}

const FieldSet::Node* FieldSet::Find(const PathElement& element) const {
  const auto at = std::lower_bound(nodes_.begin(), nodes_.end(), element, Before);
  return at != nodes_.end() && at->element == element ? &*at : nullptr;
}

const FieldSet::Node* FieldSet::FindField(std::string_view name) const {
  const auto at = std::lower_bound(
      nodes_.begin(), nodes_.end(), name,
      [](const Node& node, std::string_view n) { return node.element.CompareField(n) < 0; });
  return at != nodes_.end() && at->element.CompareField(name) == 0 ? &*at : nullptr;
}

bool FieldSet::Has(std::span<const PathElement> path) const {
  const FieldSet* set = this;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const Node* node = set->Find(path[i]);
    if (node == nullptr) return false;
    if (i + 1 == path.size()) return node->owned;
    set = &node->children;
  }
  return false;
}

void FieldSet::Insert(std::span<const PathElement> path) {
  if (path.empty()) return;
  FieldSet below;
  below.Insert(path.subspan(1));
  Attach(path.front(), path.size() == 1, std::move(below));
}

void FieldSet::InsertFields(std::initializer_list<std::string_view> names) {
  Path path;
  for (const std::string_view name : names) path.push_back(PathElement::Field(name));
  Insert(path);
}

void FieldSet::Attach(PathElement element, bool owned, FieldSet children) {
  if (!owned && children.Empty()) return;
  // Walks go through objects in order, so the usual place is the end.
  const bool at_end = nodes_.empty() || nodes_.back().element.Compare(element) < 0;
  const auto at =
      at_end ? nodes_.end() : std::lower_bound(nodes_.begin(), nodes_.end(), element, Before);
  if (at != nodes_.end() && at->element == element) {
    at->owned |= owned;
    at->children.Add(std::move(children));
    return;
  }
  nodes_.insert(at, {std::move(element), owned, std::move(children)});
}

void FieldSet::Add(FieldSet other) {
  if (other.Empty()) return;
  if (Empty()) {
    nodes_ = std::move(other.nodes_);
    return;
  }
  std::vector<Node> all;
  all.reserve(nodes_.size() + other.nodes_.size());
  auto in_own = nodes_.begin();
  auto in_other = other.nodes_.begin();
  while (in_own != nodes_.end() && in_other != other.nodes_.end()) {
    const int order = in_own->element.Compare(in_other->element);
    if (order == 0) {
      in_own->owned |= in_other->owned;
      in_own->children.Add(std::move(in_other->children));
      ++in_other;
    }
    all.push_back(std::move(order <= 0 ? *in_own++ : *in_other++));
  }
  std::move(in_own, nodes_.end(), std::back_inserter(all));
  std::move(in_other, other.nodes_.end(), std::back_inserter(all));
  nodes_ = std::move(all);
}

bool FieldSet::Remove(const FieldSet& other) {
  bool any = false;
  ForEachShared(nodes_, other.nodes_, [&](Node& node, const Node& gone) {
    if (gone.owned && node.owned) {
      node.owned = false;
      any = true;
    }
    any |= node.children.Remove(gone.children);
  });
  if (any) DropEmpty();
  return any;
}

void FieldSet::RemoveTrees(const FieldSet& other) {
  ForEachShared(nodes_, other.nodes_, [](Node& node, const Node& gone) {
    if (gone.owned) {
      node.owned = false;
      node.children = {};
    }
    node.children.RemoveTrees(gone.children);
  });
  DropEmpty();
}

FieldSet FieldSet::Intersection(const FieldSet& other) const {
  FieldSet shared;
  ForEachShared(nodes_, other.nodes_, [&](const Node& a, const Node& b) {
    FieldSet children = a.children.Intersection(b.children);
    const bool owned = a.owned && b.owned;
    if (!owned && children.Empty()) return;
    shared.nodes_.push_back({a.element, owned, std::move(children)});
  });
  return shared;
}

void FieldSet::DropEmpty() {
  std::erase_if(nodes_, [](const Node& node) { return !node.owned && node.children.Empty(); });
}

}  // namespace flyball::sandbox::apply

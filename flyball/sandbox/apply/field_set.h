#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "flyball/sandbox/apply/path_element.h"

namespace flyball::sandbox::apply {

/// A set of paths into an object, kept as a tree: what one manager owns, or what a write changed.
/// A path may be in the set with or without the paths below it: a manager can own an item of a
/// list and only some of its fields.
///
/// Invariant: nodes are in order and distinct, and each is owned or has children, so that a set
/// without nodes is the empty set.
class FieldSet {
 public:
  struct Node;

  bool Empty() const { return nodes_.empty(); }
  /// How many paths are in it.
  std::size_t Size() const;
  bool Has(std::span<const PathElement> path) const;
  /// The node one step down; null where no path leads there.
  const Node* Find(const PathElement& element) const;
  const Node* FindField(std::string_view name) const;
  const std::vector<Node>& nodes() const { return nodes_; }

  void Insert(std::span<const PathElement> path);
  /// A path of fields: `InsertFields({"metadata", "name"})`.
  void InsertFields(std::initializer_list<std::string_view> names);
  /// Adds what is one step down: the step itself where it is `owned`, and all paths below it.
  void Attach(PathElement element, bool owned, FieldSet children);

  /// Union.
  void Add(FieldSet other);
  /// Difference. A path that goes leaves those below it. Returns whether any went.
  bool Remove(const FieldSet& other);
  /// Difference in which a path takes all those below it with it.
  void RemoveTrees(const FieldSet& other);
  FieldSet Intersection(const FieldSet& other) const;

  /// Calls `visit(path)` for each: at every level first those that end there, as upstream lists
  /// conflicts.
  template <typename Visit>
  void ForEach(Visit visit) const {
    Path prefix;
    ForEachBelow(prefix, visit);
  }
  /// Lets `edit` change the nodes, and drops those that have become nothing. What is owned and
  /// what is below may change, the elements may not.
  template <typename Edit>
  void EditNodes(Edit edit);

  friend bool operator==(const FieldSet& a, const FieldSet& b);

 private:
  template <typename Visit>
  void ForEachBelow(Path& prefix, Visit& visit) const;
  void DropEmpty();

  std::vector<Node> nodes_;
};

struct FieldSet::Node {
  PathElement element;
  bool owned = false;  ///< the path that ends here is in the set
  FieldSet children;

  friend bool operator==(const Node&, const Node&) = default;
};

inline bool operator==(const FieldSet& a, const FieldSet& b) { return a.nodes_ == b.nodes_; }

template <typename Visit>
void FieldSet::ForEachBelow(Path& prefix, Visit& visit) const {
  for (const Node& node : nodes_) {
    if (!node.owned) continue;
    prefix.push_back(node.element);
    visit(prefix);
    prefix.pop_back();
  }
  for (const Node& node : nodes_) {
    if (node.children.Empty()) continue;
    prefix.push_back(node.element);
    node.children.ForEachBelow(prefix, visit);
    prefix.pop_back();
  }
}

template <typename Edit>
void FieldSet::EditNodes(Edit edit) {
  for (Node& node : nodes_) edit(node);
  DropEmpty();
}

}  // namespace flyball::sandbox::apply

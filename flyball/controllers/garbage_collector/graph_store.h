#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "flyball/api/meta/v1.h"
#include "flyball/controllers/garbage_collector/identity.h"
#include "flyball/controllers/garbage_collector/packed_uid.h"
#include "flyball/controllers/garbage_collector/shared_texts.h"

namespace flyball::controllers::garbage_collector {

/// A text in one block of its own size; most of a cluster's names are too long to stand in a
/// std::string, which would take 32 bytes more for each.
class CompactText {
 public:
  CompactText() = default;
  explicit CompactText(std::string_view text)
      : text_(std::make_unique_for_overwrite<char[]>(text.size() + 1)) {
    text.copy(text_.get(), text.size());
    text_[text.size()] = '\0';
  }
  bool is_set() const { return text_ != nullptr; }
  std::string_view view() const { return text_ ? std::string_view(text_.get()) : ""; }

 private:
  std::unique_ptr<char[]> text_;
};

/// Objects and who owns whom, in few bytes: the memory of the garbage collector's Graph, which has
/// the rules. Nodes and edges lie in blocks and know each other by number; what is common to many,
/// kinds and namespaces, is kept once; an edge has a name only if its owner is called otherwise,
/// and a node the text of its uid only if that is no UUID.
///
/// A node lives while there is an edge to it or its user keeps it. Not for several threads at once.
class GraphStore {
 public:
  using Index = std::uint32_t;
  static constexpr Index kNone = ~Index{0};

  struct Node {
    PackedUid uid;
    SharedTexts::Number api_version = 0;
    SharedTexts::Number kind = 0;
    SharedTexts::Number space = 0;
    Index owners = kNone;      ///< the first of the edges to them, in the object's order
    Index dependents = kNone;  ///< the first of the edges from them, in no order
    Index next_in_bucket = kNone;
    CompactText name;
    bool is_virtual : 1 = false;  ///< only spoken of by dependents; nobody has seen it
    bool is_absent : 1 = false;   ///< was deleted; stays while dependents refer to it
    bool being_deleted : 1 = false;
    bool deleting_dependents : 1 = false;
    bool orphaning_dependents : 1 = false;
  };

  struct Edge {
    Index dependent = kNone;
    Index owner = kNone;
    Index next_owner = kNone;      ///< the next edge of the same dependent
    Index next_dependent = kNone;  ///< the next and previous ones of the same owner
    Index previous_dependent = kNone;
    SharedTexts::Number api_version = 0;
    SharedTexts::Number kind = 0;
    bool blocks = false;  ///< the owner's deletion in the foreground
    CompactText name;     ///< not set: the owner's
  };

  Node& node(Index at) { return nodes_[at]; }
  const Node& node(Index at) const { return nodes_[at]; }
  const Edge& edge(Index at) const { return edges_[at]; }

  Index Find(PackedUid uid) const;
  Index Add(const Identity& identity);
  /// One that has no edges.
  void Erase(Index at);
  /// What it is called from now on. What its dependents call it stays as it is.
  void Rename(Index at, const Identity& identity);

  /// Puts a reference behind the dependent's others. Returns its edge.
  Index Link(Index dependent, Index owner, const meta::v1::OwnerReference& reference);
  /// Takes all references from a dependent, and hands them over for Destroy().
  Index TakeOwners(Index dependent);
  /// Ends a list of edges.
  void Destroy(Index first);

  /// The uid as the server, or the first reference to it, has it.
  std::string UidOf(Index at) const;
  Identity IdentityOf(Index at) const;
  /// What a dependent holds its owner for. PARITY: it is taken to be in the dependent's namespace
  /// until somebody knows that its kind is in none.
  Identity NamedBy(Index edge) const;
  bool IsOfKind(Index at, std::string_view api_version, std::string_view kind) const;
  /// Whether a dependent's references are exactly these.
  bool HasOwners(Index dependent, const std::vector<meta::v1::OwnerReference>& references) const;

  /// Of all nodes, in no order.
  std::vector<Index> All() const;
  std::size_t nodes() const { return used_; }
  std::size_t edges() const { return edges_.size() - free_edges_.size(); }

 private:
  std::string_view NameOf(const Edge& edge) const {
    return edge.name.is_set() ? edge.name.view() : nodes_[edge.owner].name.view();
  }
  std::size_t BucketOf(PackedUid uid) const {
    return std::hash<PackedUid>()(uid) & (buckets_.size() - 1);
  }
  void Grow();

  std::deque<Node> nodes_;
  std::deque<Edge> edges_;
  std::vector<Index> free_nodes_;
  std::vector<Index> free_edges_;
  std::vector<Index> buckets_ = std::vector<Index>(64, kNone);
  std::unordered_map<Index, std::string> other_uids_;  // the texts of those that are no UUIDs
  std::size_t used_ = 0;
  SharedTexts texts_;
};

}  // namespace flyball::controllers::garbage_collector

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flyball/api/meta/v1.h"
#include "flyball/base/mutex.h"
#include "flyball/controllers/garbage_collector/graph_store.h"
#include "flyball/controllers/garbage_collector/identity.h"
#include "flyball/runtime/lru_cache.h"

namespace flyball::controllers::garbage_collector {

/// An object that refers to an owner which is in another namespace, and so cannot be its owner.
struct Misplaced {
  Identity dependent;
  Identity owner;  ///< where the reference says that it is
  friend bool operator==(const Misplaced&, const Misplaced&) = default;
};

/// What follows from a change of the graph.
struct Consequences {
  std::vector<PackedUid> to_delete = {};  ///< may have to go, or may have what they waited for
  std::vector<PackedUid> to_orphan = {};  ///< are to leave their dependents behind
  std::vector<Misplaced> misplaced = {};
  friend bool operator==(const Consequences&, const Consequences&) = default;
};

/// An object, as the graph knows it.
struct NodeState {
  Identity identity;
  bool is_virtual = false;
  bool being_deleted = false;
  bool deleting_dependents = false;
  bool has_dependents = false;
  friend bool operator==(const NodeState&, const NodeState&) = default;
};

/// Who stands in the way of an object's deletion in the foreground.
struct Blockers {
  bool any = false;
  std::vector<PackedUid> to_delete = {};  ///< those on whom nobody works yet
  friend bool operator==(const Blockers&, const Blockers&) = default;
};

/// Which objects there are and who owns whom, as far as the watches have told.
///
/// It says who is worth a look, and never that somebody has to go: that is for the API server to
/// say, at the time. So it may lag behind, as watches do, and each of them at its own pace: a
/// dependent may be seen before its owner. Such an owner gets a virtual node, which somebody has to
/// ask the server about, until it is seen itself or turns out not to be there.
///
/// An owner is its uid. What else references say of it may be wrong, and may differ from one to the
/// next; what a virtual node is called is one of the things that are said. FoundAbsent() goes from
/// one to the next.
///
/// Any thread.
class Graph {
 public:
  /// So many owners that are not there are remembered.
  static constexpr std::size_t kAbsentOwners = 500;
  /// In so many bytes each.
  static constexpr std::size_t kAbsentText = 2048;

  /// An object was added or has changed.
  Consequences Observe(std::string_view api_version, std::string_view kind,
                       const meta::v1::ObjectMeta& object);
  /// An object was seen to go.
  Consequences Remove(PackedUid uid);
  /// The server has no object with this identity. Its namespace is empty if its kind is in none.
  Consequences FoundAbsent(const Identity& identity);
  /// The server does not serve a kind any more. Nobody knows what became of its objects: those that
  /// own something are virtual from now on.
  Consequences ForgetKind(std::string_view api_version, std::string_view kind);
  /// All that there was at the start has been observed. Only from here on it makes sense to ask for
  /// owners that nobody has seen.
  Consequences Settle();

  std::optional<NodeState> Find(PackedUid uid) const;
  /// Empty for an object of the cluster, and for one that is not known.
  std::string NamespaceOf(PackedUid uid) const;
  std::vector<Identity> Dependents(PackedUid owner) const;
  Blockers BlockersOf(PackedUid owner) const;
  /// Whether one of its dependents waits for its own dependents to go.
  bool HasWaitingDependent(PackedUid owner) const;

  /// Remembers, of the last so many, that an owner is not there: by its whole texts, for what is
  /// taken for absent is deleted on that. Uids do not come back. What takes more than kAbsentText
  /// is not remembered, and the server is asked each time.
  void RememberAbsent(const Identity& owner);
  bool IsKnownAbsent(const Identity& owner);

  std::size_t nodes() const;
  std::size_t edges() const;

 private:
  using Index = GraphStore::Index;

  void SetOwners(Index node, const std::vector<meta::v1::OwnerReference>& references,
                 Consequences& consequences) FLYBALL_REQUIRES(mutex_);
  /// An owner that nobody has seen yet, or not since it was gone.
  Index AddVirtual(Index dependent, const meta::v1::OwnerReference& reference,
                   Consequences& consequences) FLYBALL_REQUIRES(mutex_);
  /// Whether what a new reference says of an owner does not fit what is known of it.
  bool IsDoubtful(Index edge, Consequences& consequences) const FLYBALL_REQUIRES(mutex_);
  void MeetOwner(Index node, const Identity& seen, Consequences& consequences)
      FLYBALL_REQUIRES(mutex_);
  void SetDeletion(Index at, const meta::v1::ObjectMeta& object, Consequences& consequences)
      FLYBALL_REQUIRES(mutex_);
  void RemoveNode(Index at, const Identity& identity, Consequences& consequences)
      FLYBALL_REQUIRES(mutex_);
  void DropOwners(Index edges) FLYBALL_REQUIRES(mutex_);
  void AddWaitingOwners(Index node, Consequences& consequences) const FLYBALL_REQUIRES(mutex_);
  void AddDependents(Index node, Consequences& consequences) const FLYBALL_REQUIRES(mutex_);
  /// Its dependents that mean this identity, and the edges of those that mean another.
  std::pair<std::vector<Index>, std::vector<Index>> PartDependents(Index node,
                                                                   const Identity& identity) const
      FLYBALL_REQUIRES(mutex_);
  std::optional<Identity> OtherIdentity(const std::vector<Index>& edges,
                                        const Identity& absent) const FLYBALL_REQUIRES(mutex_);
  Index FindPresent(PackedUid uid) const FLYBALL_REQUIRES(mutex_);
  void NoteAbsent(const Identity& owner) FLYBALL_REQUIRES(mutex_);

  mutable Mutex mutex_;
  GraphStore store_ FLYBALL_GUARDED_BY(mutex_);
  runtime::LruCache<bool> absent_ FLYBALL_GUARDED_BY(mutex_){kAbsentOwners};
  bool settled_ FLYBALL_GUARDED_BY(mutex_) = false;
};

}  // namespace flyball::controllers::garbage_collector

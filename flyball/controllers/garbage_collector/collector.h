#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "flyball/controllers/garbage_collector/graph.h"
#include "flyball/controllers/garbage_collector/monitors.h"
#include "flyball/controllers/garbage_collector/plan.h"
#include "flyball/runtime/reconcile_queue.h"

namespace flyball::controllers::garbage_collector {

/// Does what the graph says may have to be done, once the server has said that it has.
///
/// Whatever is deleted or changed was read from the server just before, and the server is told
/// which object is meant, and of which version where that matters. So it need not wait for the
/// caches to show what it wrote.
///
/// Any thread, never two for one object.
class Collector {
 public:
  struct Deps {
    Graph& graph;
    const Monitors& monitors;
    std::function<void(const Consequences&)> tell;
  };
  explicit Collector(Deps deps) : deps_(std::move(deps)) {}

  /// Deletes an object that has lost all its owners, takes from one that has not the owners that it
  /// has lost, and lets one go that waited for its dependents.
  Result<runtime::Outcome> AttemptToDelete(runtime::Context& context, PackedUid uid) const;
  /// Takes an owner that is to leave its dependents behind from all of them, and lets it go.
  Result<runtime::Outcome> AttemptToOrphan(runtime::Context& context, PackedUid uid) const;

 private:
  using ObjectMeta = meta::v1::ObjectMeta;

  /// An object, and what the server says about it.
  struct Live {
    enum class State : std::uint8_t { kThere, kAbsent, kUnknown };
    State state = State::kUnknown;
    ObjectMeta object = {};
  };
  struct Owners {
    std::vector<OwnerState> states = {};
    /// If set, nobody can say, and this is what is to be done about it.
    std::optional<runtime::Outcome> undecided = std::nullopt;
  };

  Result<Live> Ask(runtime::Context& context, const client::Resource& resource,
                   const api::ObjectKey& key) const;
  /// Asks for what a node stands for; one of the name with another uid is another object.
  Result<Live> AskFor(runtime::Context& context, const client::Resource& resource,
                      const Identity& identity) const;
  runtime::Outcome FoundAbsent(const client::Resource& resource, Identity identity) const;

  Result<Owners> OwnersOf(runtime::Context& context, const ObjectMeta& object) const;
  Result<Live> AskForOwner(runtime::Context& context, const ObjectMeta& object,
                           const meta::v1::OwnerReference& reference,
                           const client::Resource& resource) const;

  Result<runtime::Outcome> Decide(runtime::Context& context, const client::Resource& resource,
                                  const NodeState& node, ObjectMeta object) const;
  static void LogPlan(const runtime::Context& context, const Identity& item,
                      const ObjectMeta& object, const Owners& owners, const Plan& plan);
  Result<runtime::Outcome> Delete(runtime::Context& context, const client::Resource& resource,
                                  const Identity& identity, const ObjectMeta& object,
                                  std::string_view propagation) const;
  Result<runtime::Outcome> RemoveFinalizer(runtime::Context& context,
                                           const client::Resource& resource,
                                           const ObjectMeta& object,
                                           std::string_view finalizer) const;
  /// The dependents whose reference to their owner could not be removed.
  struct Refusals {
    std::size_t count = 0;
    std::optional<Error> first = std::nullopt;  ///< a conflict only if there is nothing else

    void Add(const Identity& dependent, const Error& error);
  };

  /// Removes the references to an owner from all of its dependents, some at a time. One that cannot
  /// be changed keeps none of the others from it: they would be deleted with an owner whose
  /// finalizer somebody then removes by hand.
  Result<> RemoveOwner(runtime::Context& context, std::span<const Identity> dependents,
                       const std::string& owner) const;
  void RemoveOwnerAtOnce(runtime::Context& context, std::span<const Identity> dependents,
                         const std::string& owner, Refusals& refusals) const;

  const Deps deps_;
};

}  // namespace flyball::controllers::garbage_collector

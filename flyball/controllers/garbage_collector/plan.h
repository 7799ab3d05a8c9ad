#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/meta/v1.h"

namespace flyball::controllers::garbage_collector {

/// The finalizers that an object being deleted has until its dependents have been left behind, or
/// have gone.
inline constexpr std::string_view kOrphanFinalizer = "orphan";
inline constexpr std::string_view kForegroundFinalizer = "foregroundDeletion";

bool HasFinalizer(const meta::v1::ObjectMeta& object, std::string_view finalizer);

/// What an owner is to one that refers to it.
enum class OwnerState : std::uint8_t {
  kSolid,     ///< it is there
  kDangling,  ///< it is not
  kWaiting,   ///< it is being deleted, and waits for its dependents to go first
};
/// Of an owner that is there.
OwnerState StateOf(const meta::v1::ObjectMeta& owner);

/// What the graph knows of an object's own dependents.
struct Neighbours {
  bool has_dependents = false;
  bool has_waiting_dependent = false;  ///< one waits for its dependents, this object maybe
};

/// What is to be done about an object that may have lost its owners.
struct Plan {
  enum class Action : std::uint8_t {
    kLeave,
    kRemoveReferences,  ///< it stays, without the owners that do not
    kDelete,
  };

  Action action = Action::kLeave;
  std::vector<std::string> remove = {};  ///< uids of the owners whose references go
  bool unblock = false;                  ///< before it is deleted: no owner shall wait for it
  std::string_view propagation = {};     ///< if it is deleted
  std::string_view reason = {};

  std::string ToString() const;
  friend bool operator==(const Plan&, const Plan&) = default;
};

/// Decides on an object as the server has it now, and on its owners, each in the place of the
/// reference to it.
Plan PlanFor(const meta::v1::ObjectMeta& object, std::span<const OwnerState> owners,
             const Neighbours& neighbours);

}  // namespace flyball::controllers::garbage_collector

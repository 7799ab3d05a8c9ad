#pragma once

#include <cstdint>
#include <optional>

#include "flyball/api/meta/v1.h"
#include "flyball/base/clock.h"
#include "flyball/sandbox/api_status_error.h"
#include "flyball/sandbox/kind.h"

/// What a DELETE makes of an object. It goes at once if nothing speaks against it: a time of grace,
/// which only pods have, or finalizers, its own and those that the propagation policy adds.
namespace flyball::sandbox {

/// Checks what was asked before any object is looked at.
StatusOr<> CheckDeleteOptions(const meta::v1::DeleteOptions& options);

enum class DeletionResult : std::uint8_t {
  kGone,     ///< it is removed
  kMarked,   ///< it stays for now, and says when it ought to be gone
  kNothing,  ///< it is on its way already, and no sooner for this
};

struct Deletion {
  DeletionResult result = DeletionResult::kGone;
  /// Whether the metadata changed on the way.
  bool changed = false;
};

/// Marks the object's metadata as the deletion asks for. `grace` is the time that the object has
/// once it is marked, in seconds, what was asked for considered; none: its kind knows no grace.
StatusOr<Deletion> Delete(const Kind& kind, meta::v1::ObjectMeta& metadata,
                          const meta::v1::DeleteOptions& options, std::optional<std::int64_t> grace,
                          WallTime now);

/// The garbage collector goes by finalizers: sets those that the options ask for, and says whether
/// they changed.
bool SetCollectorFinalizers(const Kind& kind, meta::v1::ObjectMeta& metadata,
                            const meta::v1::DeleteOptions& options);

/// Whether an object that was just updated has lost the last reason to be there.
bool IsDone(const meta::v1::ObjectMeta& metadata);

}  // namespace flyball::sandbox

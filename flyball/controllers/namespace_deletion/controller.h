#pragma once

#include <chrono>
#include <cstddef>
#include <memory>

#include "flyball/runtime/controller.h"

/// Empties namespaces that are deleted, and lets them go when nothing is left in them. Reads
/// namespaces; deletes objects of all kinds, and writes namespaces' status and finalizers.
///
///   content.h  deletes, and finds out what is left
///   plan.h     what is deleted, what findings mean for the conditions, when to look again
namespace flyball::controllers::namespace_deletion {

struct Options {
  std::size_t workers = 10;                                   ///< --concurrent-namespace-syncs
  std::chrono::nanoseconds resync = std::chrono::minutes(5);  ///< --namespace-sync-period
};

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps, Options options);

}  // namespace flyball::controllers::namespace_deletion

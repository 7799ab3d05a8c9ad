#pragma once

#include <cstddef>
#include <memory>

#include "flyball/runtime/controller.h"

/// Deletes jobs, and with them their pods, when they have finished and the time that they are to be
/// kept for (spec.ttlSecondsAfterFinished) is over.
///
/// The model for the other controllers:
///   plan.h        decides: a pure function of the objects and the time, with the tests of it
///   controller.h  does: what it reads, which changes concern whom, and carrying out the plan
namespace flyball::controllers::ttl_after_finished {

struct Options {
  std::size_t workers = 5;  ///< --concurrent-ttl-after-finished-syncs
};

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps, Options options);

}  // namespace flyball::controllers::ttl_after_finished

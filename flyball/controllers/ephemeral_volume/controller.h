#pragma once

#include <cstddef>
#include <memory>

#include "flyball/runtime/controller.h"

/// Makes the claims of pods' ephemeral volumes, each owned by its pod, so that it goes with it.
///
/// Reads pods and claims; writes claims. A claim that is there and is not the pod's is left alone.
namespace flyball::controllers::ephemeral_volume {

struct Options {
  std::size_t workers = 5;  ///< --concurrent-ephemeralvolume-syncs
};

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps, Options options);

}  // namespace flyball::controllers::ephemeral_volume

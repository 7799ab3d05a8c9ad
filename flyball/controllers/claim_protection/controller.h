#pragma once

#include <memory>

#include "flyball/runtime/controller.h"

/// Keeps claims that are deleted until no pod has them mounted any more, and says of claims that
/// are bound whether any pod uses them.
///
/// Reads claims and pods; writes claims and their status. A claim is let go only when the server
/// has just said that no pod keeps it: what a claim holds is lost with it.
namespace flyball::controllers::claim_protection {

struct Options {
  bool says_unused = true;  ///< feature gate PersistentVolumeClaimUnusedSinceTime
};

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps, Options options);

}  // namespace flyball::controllers::claim_protection

#pragma once

#include <memory>

#include "flyball/runtime/controller.h"

/// Keeps volumes that are deleted for as long as they are bound to a claim.
///
/// Reads and writes volumes.
namespace flyball::controllers::volume_protection {

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps);

}  // namespace flyball::controllers::volume_protection

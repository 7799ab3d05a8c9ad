#pragma once

#include <memory>

#include "flyball/runtime/controller.h"

/// Keeps classes of volume attributes that are deleted for as long as a claim or a volume needs
/// them.
///
/// Reads classes, claims and volumes; writes classes.
// DIVERGES: before a class is let go the server is asked for claims and volumes, so that one which
// the caches have not heard of is not left without it. Upstream goes by its caches, and says that
// it may be early.
namespace flyball::controllers::attributes_class_protection {

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps);

}  // namespace flyball::controllers::attributes_class_protection

#pragma once

#include <memory>

#include "flyball/runtime/controller.h"

/// Says of claims that ask for more than they have who is waited for, and tells the driver that has
/// replaced one which was part of Kubernetes.
///
/// Reads claims and volumes; writes the status of claims.
namespace flyball::controllers::volume_expander {

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps);

}  // namespace flyball::controllers::volume_expander

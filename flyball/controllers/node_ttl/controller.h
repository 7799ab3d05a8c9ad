#pragma once

#include <memory>

#include "flyball/runtime/controller.h"

/// Tells nodes, in an annotation, for how long kubelets may go by what they have read of secrets
/// and config maps.
namespace flyball::controllers::node_ttl {

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps);

}  // namespace flyball::controllers::node_ttl

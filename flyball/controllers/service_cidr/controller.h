#pragma once

#include <memory>

#include "flyball/runtime/controller.h"

/// Sees to the ranges that services get their addresses from: it says that they are ready, and lets
/// one that is deleted go when no address needs it any more.
namespace flyball::controllers::service_cidr {

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps);

}  // namespace flyball::controllers::service_cidr

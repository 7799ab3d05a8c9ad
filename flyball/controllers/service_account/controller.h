#pragma once

#include <memory>

#include "flyball/runtime/controller.h"

/// Sees to it that every namespace has the service account "default", without which no pod can be
/// made in it. Reads namespaces and service accounts; creates service accounts.
namespace flyball::controllers::service_account {

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps);

}  // namespace flyball::controllers::service_account

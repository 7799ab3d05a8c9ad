#pragma once

#include <memory>

#include "flyball/runtime/controller.h"

/// Fills cluster roles that are made of others ("admin", "edit", "view", and people's own) with the
/// rules of those that their aggregationRule selects. Reads cluster roles and applies their rules.
namespace flyball::controllers::cluster_role_aggregation {

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps);

}  // namespace flyball::controllers::cluster_role_aggregation

#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "flyball/api/json.h"
#include "flyball/api/rbac/v1.h"
#include "flyball/base/result.h"

namespace flyball::controllers::cluster_role_aggregation {

using Rules = std::vector<rbac::v1::PolicyRule>;

/// The rules that a role is to have: those of all others that its selectors choose, by selector and
/// then by name, each once. Nothing if it is not made of others, or has them already. An error if a
/// selector of its makes no sense.
Result<std::optional<Rules>> PlanFor(
    const rbac::v1::ClusterRole& role,
    std::span<const std::shared_ptr<const rbac::v1::ClusterRole>> all);

/// What is applied to give a role these rules: what it does not name, others keep.
api::Json ApplyConfiguration(const std::string& name, const Rules& rules);

}  // namespace flyball::controllers::cluster_role_aggregation

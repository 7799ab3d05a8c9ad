#pragma once

#include <optional>
#include <string_view>

#include "flyball/api/core/v1.h"

namespace flyball::controllers::service_account {

/// The account that every namespace has.
inline constexpr std::string_view kName = "default";

/// What a namespace is to get, if anything. A namespace that is not active takes nothing new.
std::optional<core::v1::ServiceAccount> PlanFor(const core::v1::Namespace& space, bool has_account);

}  // namespace flyball::controllers::service_account

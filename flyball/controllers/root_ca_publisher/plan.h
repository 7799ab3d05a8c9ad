#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "flyball/api/core/v1.h"
#include "flyball/base/error.h"

namespace flyball::controllers::root_ca_publisher {

/// What the config map is called in every namespace.
inline constexpr std::string_view kName = "kube-root-ca.crt";

/// What is to be done about a namespace's config map.
struct Plan {
  enum class Action : std::uint8_t { kLeave, kCreate, kUpdate };

  Action action = Action::kLeave;
  core::v1::ConfigMap map = {};  ///< as it is to be, unless it is left

  friend bool operator==(const Plan&, const Plan&) = default;
};

/// Decides. `cached` is null if there is none. A description that somebody put into words of their
/// own stays; data beside the certificate does not. To a namespace that goes nothing is done.
Plan PlanFor(const core::v1::Namespace& space, const core::v1::ConfigMap* cached,
             const std::string& root_ca);

/// The error as the metrics have it: the code of an API server's answer, and 500 where there was
/// none.
std::string_view CodeOf(const Error& error);

}  // namespace flyball::controllers::root_ca_publisher

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/api/time.h"
#include "flyball/api/views.h"
#include "flyball/cache/informer.h"

namespace flyball::controllers::endpoints {

using core::v1::Endpoints;
using core::v1::EndpointSubset;
using core::v1::Service;
using PodRef = cache::Ref<views::Pod>;

/// More addresses than this no Endpoints have: those that are too many are left out.
inline constexpr std::size_t kCapacity = 1000;

/// Whether a service's Endpoints are this controller's matter while the service is there.
bool IsKept(const Service& service);
/// Whether somebody is elected by them, as it was done before there were leases.
bool IsLock(const Endpoints& endpoints);

/// What the Endpoints of a service have to say, all of it, with the pods that it selects.
std::vector<EndpointSubset> SubsetsOf(const Service& service, const std::vector<PodRef>& pods);

/// Leaves out what is more than kCapacity, those that are not ready first, and of each subset its
/// share. Whether there was anything.
bool Truncate(std::vector<EndpointSubset>& subsets);

/// What is to be done about a service's Endpoints.
struct Plan {
  enum class Action : std::uint8_t { kLeave, kCreate, kUpdate };

  Action action = Action::kLeave;
  Endpoints endpoints = {};  ///< as they are to be, unless they are left

  std::string ToString() const;
  friend bool operator==(const Plan&, const Plan&) = default;
};

/// Decides. `current` are null if there are none; `triggered` is when that happened which they are
/// changed for, and may not be set.
Plan PlanFor(const Service& service, const std::vector<PodRef>& pods, const Endpoints* current,
             api::Time triggered);

}  // namespace flyball::controllers::endpoints

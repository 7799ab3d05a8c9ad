#pragma once

#include <string>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/api/views.h"
#include "flyball/controllers/common/ip_prefix.h"

/// What of a pod is in the endpoints of a service that selects it.
namespace flyball::controllers::common {

/// A pod's addresses of a family.
std::vector<std::string> AddressesOf(const views::Pod& pod, IpFamily family);

/// Whether endpoints have the pod at all: it has an address, and has not ended.
bool CanBeEndpoint(const views::Pod& pod);

/// Whether the pod has a name of its own in the service's domain.
bool HasHostnameIn(const views::Pod& pod, const core::v1::Service& service);

}  // namespace flyball::controllers::common

#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/json.h"
#include "flyball/api/networking/v1.h"
#include "flyball/base/clock.h"

namespace flyball::controllers::service_cidr {

using networking::v1::IPAddress;
using networking::v1::ServiceCIDR;
using Ranges = std::span<const std::shared_ptr<const ServiceCIDR>>;
using Addresses = std::span<const std::shared_ptr<const IPAddress>>;

inline constexpr std::string_view kFinalizer = "networking.k8s.io/service-cidr-finalizer";

/// Ranges that are to go and may have been waiting for this address, or for its end. None if nobody
/// gave it to a service.
std::vector<std::string> WaitingFor(const IPAddress& object, Ranges all);
/// Ranges that are to go, and may do so now that there is another that has some of their addresses.
std::vector<std::string> WaitingFor(const ServiceCIDR& range, Ranges all);

/// What is to be done about a range.
struct Plan {
  bool add_finalizer = false;
  std::optional<meta::v1::Condition> condition = {};  ///< to be told, if it is not yet
  std::chrono::nanoseconds wait = {};                 ///< before it may go
  bool remove_finalizer = false;

  std::string ToString() const;
  friend bool operator==(const Plan&, const Plan&) = default;
};

/// Decides. A range that is to go stays as long as there are addresses in it that would be in no
/// range without it, and for some time after that has been asked for, in which all servers get to
/// know that they are to take no more addresses from it.
Plan PlanFor(const ServiceCIDR& range, Ranges all, Addresses addresses, WallTime now);

/// What is sent to have a condition.
api::Json ApplyConfiguration(const std::string& name, const meta::v1::Condition& condition);

}  // namespace flyball::controllers::service_cidr

#include "flyball/controllers/service_cidr/plan.h"

#include <algorithm>

#include "flyball/api/time.h"
#include "flyball/controllers/common/ip_prefix.h"

namespace flyball::controllers::service_cidr {
namespace {

using api::Json;
using common::IpAddress;
using common::IpFamily;
using common::IpPrefix;
using meta::v1::Condition;

constexpr std::chrono::seconds kGrace{10};
constexpr const char* kReady = "Ready";

std::vector<IpPrefix> PrefixesOf(const ServiceCIDR& range) {
  std::vector<IpPrefix> prefixes;
  for (const std::string& text : range.spec.cidrs) {
    if (const auto prefix = IpPrefix::Parse(text)) prefixes.push_back(*prefix);
  }
  return prefixes;
}

/// Whether services may get the address from there: not the first one, nor the last of IPv4.
bool Offers(const IpPrefix& prefix, const IpAddress& address) {
  if (!prefix.Contains(address) || address == prefix.base) return false;
  return address.family == IpFamily::kV6 || address != prefix.last();
}

/// What a service has, by the server's hand; nothing if it is somebody else's.
std::optional<IpAddress> ServiceAddress(const IPAddress& object) {
  const auto manager = object.metadata.labels.find("ipaddress.kubernetes.io/managed-by");
  if (manager == nullptr || *manager != "ipallocator.k8s.io") return std::nullopt;
  return IpAddress::Parse(object.metadata.name);
}

/// PARITY: one without a label of its family is in nobody's way.
bool HasFamily(const IPAddress& object, IpFamily family) {
  const auto label = object.metadata.labels.find("ipaddress.kubernetes.io/ip-family");
  return label != nullptr && *label == ToString(family);
}

bool Same(const ServiceCIDR& a, const ServiceCIDR& b) { return a.metadata.name == b.metadata.name; }

/// Of all ranges but one.
std::vector<IpPrefix> PrefixesOfOthers(const ServiceCIDR& range, Ranges all) {
  std::vector<IpPrefix> prefixes;
  for (const auto& other : all) {
    if (Same(*other, range)) continue;
    const auto theirs = PrefixesOf(*other);
    prefixes.insert(prefixes.end(), theirs.begin(), theirs.end());
  }
  return prefixes;
}

bool AnyOffers(const std::vector<IpPrefix>& prefixes, const IpAddress& address) {
  return std::ranges::any_of(prefixes,
                             [&](const IpPrefix& prefix) { return Offers(prefix, address); });
}

/// Whether all of a range's addresses are in others too.
// PARITY: those may be about to go themselves.
bool IsCovered(const std::vector<IpPrefix>& range, const std::vector<IpPrefix>& others) {
  return std::ranges::all_of(range, [&](const IpPrefix& prefix) {
    return std::ranges::any_of(others,
                               [&](const IpPrefix& other) { return other.Contains(prefix); });
  });
}

/// Whether addresses that services have would be in no range without this one.
bool IsNeeded(const ServiceCIDR& range, Ranges all, Addresses addresses) {
  const auto own = PrefixesOf(range);
  const auto others = PrefixesOfOthers(range, all);
  if (IsCovered(own, others)) return false;
  return std::ranges::any_of(addresses, [&](const auto& object) {
    const auto address = ServiceAddress(*object);
    return address && HasFamily(*object, address->family) && AnyOffers(own, *address) &&
           !AnyOffers(others, *address);
  });
}

bool HasFinalizer(const ServiceCIDR& range) {
  const auto& finalizers = range.metadata.finalizers;
  return std::ranges::find(finalizers, kFinalizer) != finalizers.end();
}

bool Says(const ServiceCIDR& range, const Condition& wanted) {
  const auto found = std::ranges::find(range.status.conditions, wanted.type, &Condition::type);
  return found != range.status.conditions.end() && found->status == wanted.status &&
         found->reason == wanted.reason && found->message == wanted.message;
}

Condition ReadyCondition(WallTime now) {
  Condition condition;
  condition.type = kReady;
  condition.status = "True";
  condition.message = "Kubernetes Service CIDR is ready";
  condition.lastTransitionTime = api::Time(now);
  return condition;
}

Condition TerminatingCondition(WallTime now) {
  Condition condition;
  condition.type = kReady;
  condition.status = "False";
  condition.reason = "Terminating";
  condition.message =
      "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new "
      "ServiceCIDR";
  condition.lastTransitionTime = api::Time(now);
  return condition;
}

Plan Telling(const ServiceCIDR& range, Condition condition) {
  Plan plan;
  if (!Says(range, condition)) plan.condition = std::move(condition);
  return plan;
}

Plan PlanToGo(const ServiceCIDR& range, Ranges all, Addresses addresses, WallTime now) {
  if (IsNeeded(range, all, addresses)) return Telling(range, TerminatingCondition(now));
  const api::Time goes = *range.metadata.deletionTimestamp + kGrace;
  if (goes > api::Time(now)) return {.wait = goes - api::Time(now)};
  return {.remove_finalizer = HasFinalizer(range)};
}

}  // namespace

std::vector<std::string> WaitingFor(const IPAddress& object, Ranges all) {
  std::vector<std::string> names;
  const auto address = ServiceAddress(object);
  if (!address) return names;
  for (const auto& range : all) {
    if (range->metadata.deletionTimestamp && AnyOffers(PrefixesOf(*range), *address)) {
      names.push_back(range->metadata.name);
    }
  }
  return names;
}

std::vector<std::string> WaitingFor(const ServiceCIDR& range, Ranges all) {
  std::vector<std::string> names;
  const auto prefixes = PrefixesOf(range);
  for (const auto& other : all) {
    if (!other->metadata.deletionTimestamp || Same(*other, range)) continue;
    const bool overlaps = std::ranges::any_of(PrefixesOf(*other), [&](const IpPrefix& theirs) {
      return std::ranges::any_of(prefixes,
                                 [&](const IpPrefix& ours) { return ours.Overlaps(theirs); });
    });
    if (overlaps) names.push_back(other->metadata.name);
  }
  return names;
}

Plan PlanFor(const ServiceCIDR& range, Ranges all, Addresses addresses, WallTime now) {
  if (range.metadata.deletionTimestamp) return PlanToGo(range, all, addresses, now);
  Plan plan = Telling(range, ReadyCondition(now));
  plan.add_finalizer = !HasFinalizer(range);
  return plan;
}

std::string Plan::ToString() const {
  std::string text;
  const auto add = [&text](const std::string& what) { text += (text.empty() ? "" : ", ") + what; };
  if (add_finalizer) add("protect it");
  if (condition) add(condition->status == "True" ? "say that it is ready" : "say why it stays");
  if (wait.count() > 0) add("wait until servers know that it goes");
  if (remove_finalizer) add("let it go");
  return text.empty() ? "leave it" : text;
}

Json ApplyConfiguration(const std::string& name, const Condition& condition) {
  const Json told = Json::Object{{"type", condition.type},
                                 {"status", condition.status},
                                 {"lastTransitionTime", condition.lastTransitionTime.ToString()},
                                 {"reason", condition.reason},
                                 {"message", condition.message}};
  return Json::Object{{"kind", "ServiceCIDR"},
                      {"apiVersion", "networking.k8s.io/v1"},
                      {"metadata", Json::Object{{"name", name}}},
                      {"status", Json::Object{{"conditions", Json::Array{told}}}}};
}

}  // namespace flyball::controllers::service_cidr

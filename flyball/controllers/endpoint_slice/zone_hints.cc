#include "flyball/controllers/endpoint_slice/zone_hints.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "flyball/api/quantity.h"

namespace flyball::controllers::endpoint_slice {
namespace {

using common::SliceRef;
using discovery::v1::Endpoint;
using discovery::v1::EndpointSlice;
using views::Node;

/// How much more than its share an endpoint may be asked to carry.
constexpr double kMostOverload = 0.2;
constexpr double kLeastOfShare = 1 / (1 + kMostOverload);

bool IsReady(const Node& node) {
  for (const auto& condition : node.status.conditions) {
    if (condition.type == "Ready") return condition.status == "True";
  }
  return false;
}

bool IsReady(const Endpoint& endpoint) { return endpoint.conditions.ready.value_or(false); }

std::string_view ZoneOf(const Node& node) {
  return node.metadata.labels.find("topology.kubernetes.io/zone").value_or(std::string_view());
}

bool TakesNoTraffic(const Node& node) {
  return node.metadata.labels.contains("node-role.kubernetes.io/control-plane") ||
         node.metadata.labels.contains("node-role.kubernetes.io/master");
}

/// How many endpoints a zone has to have, and may.
struct Allotment {
  int least = 0;
  int most = 0;
  double desired = 0;
};
using Allotments = std::map<std::string, Allotment>;

std::unexpected<Error> NoHints(std::string why) {
  return std::unexpected(Error(ErrorCode::kInvalid, std::move(why)));
}

std::string WithNumbers(const std::string& text, int endpoints, std::size_t zones) {
  return text + " (" + std::to_string(endpoints) + " endpoints, " + std::to_string(zones) +
         " zones)";
}

Result<Allotments> AllotmentsOf(const ZoneShares& shares, int endpoints) {
  if (!shares) {
    return NoHints(
        "Insufficient Node information: allocatable CPU or zone not specified on one or more "
        "nodes");
  }
  // PARITY: only as long as no node has ever been there.
  if (shares->size() < 2) return NoHints("Nodes only ready in one zone");
  if (std::ssize(*shares) > endpoints) {
    return NoHints(WithNumbers("Insufficient number of endpoints", endpoints, shares->size()));
  }
  Allotments allotments;
  int at_liberty = endpoints;
  for (const auto& [zone, share] : *shares) {
    const double desired = share * endpoints;
    const int least = static_cast<int>(std::ceil(desired * kLeastOfShare));
    allotments[zone] = {.least = least, .desired = std::max(desired, static_cast<double>(least))};
    at_liberty -= least;
    if (at_liberty < 0) {
      return NoHints(WithNumbers(
          "Unable to allocate minimum required endpoints to each zone without exceeding overload "
          "threshold",
          endpoints, shares->size()));
    }
  }
  for (auto& [zone, its] : allotments) its.most = its.least + at_liberty;
  return allotments;
}

int ReadyIn(const SliceGroup& slices) {
  std::ptrdiff_t ready = 0;
  const auto add = [&ready](const EndpointSlice& slice) {
    ready += std::ranges::count_if(slice.endpoints,
                                   [](const Endpoint& endpoint) { return IsReady(endpoint); });
  };
  for (const EndpointSlice& slice : slices.changes.to_create) add(slice);
  for (const EndpointSlice& slice : slices.changes.to_update) add(slice);
  for (const SliceRef& slice : slices.unchanged) add(*slice);
  return static_cast<int>(ready);
}

/// What a slice's hints come to; nothing if they will not do.
std::optional<ZoneCounts> HintsIn(const EndpointSlice& slice, const ZoneCounts& given,
                                  const Allotments& allotments) {
  ZoneCounts counts;
  for (const Endpoint& endpoint : slice.endpoints) {
    if (!IsReady(endpoint)) continue;
    if (!endpoint.hints || endpoint.hints->forZones.empty()) return std::nullopt;
    for (const auto& zone : endpoint.hints->forZones) ++counts[zone.name];
  }
  for (const auto& [zone, count] : counts) {
    const auto allotted = allotments.find(zone);
    if (allotted == allotments.end()) return std::nullopt;
    const auto already = given.find(zone);
    const int before = already == given.end() ? 0 : already->second;
    if (before + count > allotted->second.most) return std::nullopt;
  }
  return counts;
}

/// Counts the hints of slices that can stay as they are; the others will be written.
ZoneCounts KeepWhatWillDo(SliceGroup& slices, const Allotments& allotments) {
  ZoneCounts given;
  for (const SliceRef& slice : std::vector(slices.unchanged)) {
    const auto counts = HintsIn(*slice, given, allotments);
    if (!counts) {
      slices.Touch(slice);
      continue;
    }
    for (const auto& [zone, count] : *counts) given[zone] += count;
  }
  return given;
}

std::vector<EndpointSlice*> Written(SliceGroup& slices) {
  std::vector<EndpointSlice*> written;
  for (EndpointSlice& slice : slices.changes.to_create) written.push_back(&slice);
  for (EndpointSlice& slice : slices.changes.to_update) written.push_back(&slice);
  return written;
}

void SetHint(Endpoint& endpoint, const std::string& zone) {
  endpoint.hints.emplace().forZones.emplace_back().name = zone;
}

/// False if an endpoint's zone is not known.
bool GiveOwnZones(std::span<EndpointSlice* const> slices, ZoneCounts& given) {
  for (EndpointSlice* const slice : slices) {
    for (Endpoint& endpoint : slice->endpoints) {
      if (!IsReady(endpoint)) continue;
      if (!endpoint.zone || endpoint.zone->empty()) return false;
      ++given[*endpoint.zone];
      SetHint(endpoint, *endpoint.zone);
    }
  }
  return true;
}

using Amounts = std::map<std::string, double>;
Amounts::iterator Most(Amounts& amounts) {
  return std::ranges::max_element(amounts, {}, &Amounts::value_type::second);
}

/// How many endpoints which zones have to let others have, and which others.
struct Exchange {
  ZoneCounts giving;
  ZoneCounts receiving;
};
Exchange ExchangeFor(const Allotments& allotments, const ZoneCounts& given) {
  Amounts too_many;
  Amounts too_few;
  for (const auto& [zone, allotment] : allotments) {
    const auto found = given.find(zone);
    const double over = (found == given.end() ? 0 : found->second) - allotment.desired;
    if (over > 0) too_many[zone] = over;
    if (over < 0) too_few[zone] = -over;
  }
  Exchange exchange;
  while (!too_many.empty() && !too_few.empty()) {
    const auto from = Most(too_many);
    const auto to = Most(too_few);
    const bool worth_it =
        from->second >= 0.5 && to->second >= 0.5 && (from->second >= 1 || to->second >= 1);
    if (!worth_it) break;
    ++exchange.giving[from->first];
    ++exchange.receiving[to->first];
    from->second -= 1;
    to->second -= 1;
  }
  return exchange;
}

void TakeOne(ZoneCounts& counts, ZoneCounts::iterator at) {
  if (--at->second == 0) counts.erase(at);
}

void CarryOut(Exchange exchange, std::span<EndpointSlice* const> slices, ZoneCounts& given) {
  for (EndpointSlice* const slice : slices) {
    for (Endpoint& endpoint : slice->endpoints) {
      if (exchange.receiving.empty()) return;
      if (!IsReady(endpoint)) continue;
      const auto from = exchange.giving.find(*endpoint.zone);
      if (from == exchange.giving.end()) continue;
      const auto to = exchange.receiving.begin();
      SetHint(endpoint, to->first);
      --given[from->first];
      ++given[to->first];
      TakeOne(exchange.giving, from);
      TakeOne(exchange.receiving, to);
    }
  }
}

bool HasHints(const EndpointSlice& slice) {
  return std::ranges::any_of(slice.endpoints,
                             [](const Endpoint& endpoint) { return endpoint.hints.has_value(); });
}

}  // namespace

ZoneShares SharesOf(std::span<const cache::Ref<Node>> nodes) {
  std::map<std::string, api::Quantity> by_zone;
  api::Quantity total;
  for (const auto& node : nodes) {
    if (TakesNoTraffic(*node) || !IsReady(*node)) continue;
    const std::string_view zone = ZoneOf(*node);
    const auto cpu =
        api::Quantity::Parse(node->status.allocatable.find("cpu").value_or(std::string_view("0")));
    // No server takes less than nothing; the shares are cast to numbers of endpoints.
    if (zone.empty() || !cpu || cpu->Sign() <= 0) return std::nullopt;
    total.Add(*cpu);
    by_zone[std::string(zone)].Add(*cpu);
  }
  if (total.IsZero() || by_zone.size() < 2) return std::nullopt;
  std::map<std::string, double> shares;
  for (const auto& [zone, cpu] : by_zone) {
    shares[zone] = static_cast<double>(cpu.MilliValue()) / static_cast<double>(total.MilliValue());
  }
  return shares;
}

// PARITY: another number of CPUs is noticed when something else changes.
bool ChangesShares(const Node& old, const Node& now) {
  return IsReady(old) != IsReady(now) || ZoneOf(old) != ZoneOf(now);
}

bool IsOverloaded(const ZoneCounts& counts, const ZoneShares& shares) {
  if (counts.empty()) return false;
  if (!shares || shares->empty()) return true;
  int total = 0;
  for (const auto& [zone, count] : counts) total += count;
  return std::ranges::any_of(*shares, [&](const auto& of_zone) {
    const auto found = counts.find(of_zone.first);
    return found == counts.end() ||
           found->second < static_cast<int>(std::ceil(total * of_zone.second * kLeastOfShare));
  });
}

EndpointSlice& SliceGroup::Touch(const SliceRef& slice) {
  EndpointSlice& update = changes.to_update.emplace_back(*slice);
  std::erase(unchanged, slice);
  return update;
}

Result<ZoneCounts> GiveZoneHints(const ZoneShares& shares, SliceGroup& slices) {
  FLYBALL_TRY(const Allotments allotments, AllotmentsOf(shares, ReadyIn(slices)));
  ZoneCounts given = KeepWhatWillDo(slices, allotments);
  const std::vector<EndpointSlice*> written = Written(slices);
  if (!GiveOwnZones(written, given)) {
    return NoHints("One or more endpoints do not have a zone specified");
  }
  CarryOut(ExchangeFor(allotments, given), written, given);
  if (given.empty()) return NoHints("No hints allocated for zones");
  return given;
}

void RemoveHints(SliceGroup& slices) {
  for (const SliceRef& slice : std::vector(slices.unchanged)) {
    if (HasHints(*slice)) slices.Touch(slice);
  }
  for (EndpointSlice* const slice : Written(slices)) {
    for (Endpoint& endpoint : slice->endpoints) endpoint.hints.reset();
  }
}

}  // namespace flyball::controllers::endpoint_slice

#include "flyball/controllers/node_lifecycle/zone_plan.h"

#include <algorithm>
#include <optional>

namespace flyball::controllers::node_lifecycle {
namespace {

using namespace std::string_view_literals;

std::string_view LabelOf(const views::Node& node, std::string_view beta, std::string_view label) {
  if (const auto value = node.metadata.labels.find(beta)) return *value;
  return node.metadata.labels.find(label).value_or(""sv);
}

ZoneState StateOf(const ZoneCount& count, const ZoneRules& rules) {
  if (count.unhealthy == count.nodes) return ZoneState::kFullDisruption;
  const float share = static_cast<float>(count.unhealthy) / static_cast<float>(count.nodes);
  const bool much = count.unhealthy > 2 && share >= rules.unhealthy;
  return much ? ZoneState::kPartialDisruption : ZoneState::kNormal;
}

/// DIVERGES: upstream goes by how large a zone was when it came into its state.
float RateOf(ZoneState state, const ZoneCount& count, const ZoneRules& rules) {
  if (state != ZoneState::kPartialDisruption) return rules.rate;
  const bool large = static_cast<std::int64_t>(count.nodes) > rules.large;
  return large ? rules.secondary_rate : 0;
}

}  // namespace

std::string ZoneOf(const views::Node& node) {
  const std::string_view zone =
      LabelOf(node, "failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone");
  const std::string_view region =
      LabelOf(node, "failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region");
  if (zone.empty() && region.empty()) return {};
  // PARITY: so it stands in metrics.
  return std::string(region).append(":\0:"sv).append(zone);
}

bool CountsInZone(const views::Node& node) {
  return !node.metadata.labels.contains("node.kubernetes.io/exclude-disruption");
}

std::string_view ToString(ZoneState state) {
  switch (state) {
    case ZoneState::kNormal:
      break;
    case ZoneState::kPartialDisruption:
      return "PartialDisruption";
    case ZoneState::kFullDisruption:
      return "FullDisruption";
  }
  return "Normal";
}

ZonePlan PlanZones(const ZoneCounts& counts, const ZoneRules& rules) {
  ZonePlan plan;
  for (const auto& [name, count] : counts) {
    const ZoneState state = StateOf(count, rules);
    plan.zones[name] = {.state = state, .rate = RateOf(state, count, rules)};
  }
  plan.all_disrupted = !plan.zones.empty() && std::ranges::all_of(plan.zones, [](const auto& zone) {
    return zone.second.state == ZoneState::kFullDisruption;
  });
  if (plan.all_disrupted) {
    for (auto& [name, zone] : plan.zones) zone.rate = 0;
  }
  return plan;
}

}  // namespace flyball::controllers::node_lifecycle

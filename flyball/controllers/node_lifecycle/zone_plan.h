#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "flyball/api/views.h"
#include "flyball/controllers/node_lifecycle/readiness.h"

/// How fast pods are driven out of the nodes of a zone: the more nodes fail, the likelier it is
/// that it is not the nodes. Pure.
namespace flyball::controllers::node_lifecycle {

/// By what nodes are told apart: region and zone. Empty without either.
std::string ZoneOf(const views::Node& node);
/// Whether it counts in its zone.
bool CountsInZone(const views::Node& node);

/// What a person may set of it.
struct ZoneRules {
  float rate = 0.1F;             ///< nodes a second
  float secondary_rate = 0.01F;  ///< in a large zone of which much has failed
  std::int32_t large = 50;       ///< a zone with more nodes than that
  float unhealthy = 0.55F;       ///< the share of nodes, and three at least, that is much
};

enum class ZoneState : std::uint8_t {
  kNormal,
  kPartialDisruption,  ///< much of it has failed
  kFullDisruption,     ///< all of it has
};

/// "PartialDisruption".
std::string_view ToString(ZoneState state);

/// Of the nodes that count.
struct ZoneCount {
  std::size_t nodes = 0;
  std::size_t unhealthy = 0;

  void Add(Readiness readiness) {
    ++nodes;
    if (readiness != Readiness::kReady) ++unhealthy;
  }
  /// In percent.
  double Health() const {
    return static_cast<double>(100 * (nodes - unhealthy)) / static_cast<double>(nodes);
  }
  friend bool operator==(const ZoneCount&, const ZoneCount&) = default;
};

using ZoneCounts = std::map<std::string, ZoneCount, std::less<>>;

struct ZonePlan {
  struct Zone {
    ZoneState state = ZoneState::kNormal;
    float rate = 0;  ///< nodes a second
    friend bool operator==(const Zone&, const Zone&) = default;
  };
  std::map<std::string, Zone, std::less<>> zones;
  /// Nothing is left, so it is likelier that nodes cannot be heard than that they are gone: no pods
  /// are driven out anywhere.
  bool all_disrupted = false;
  friend bool operator==(const ZonePlan&, const ZonePlan&) = default;
};

ZonePlan PlanZones(const ZoneCounts& counts, const ZoneRules& rules);

}  // namespace flyball::controllers::node_lifecycle

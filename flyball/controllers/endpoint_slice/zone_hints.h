#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "flyball/api/views.h"
#include "flyball/base/result.h"
#include "flyball/cache/informer.h"
#include "flyball/controllers/common/slice_packing.h"

/// Hints by which nodes send traffic to endpoints of their own zone, as long as each zone has about
/// as large a share of the endpoints as it has of the cluster's CPUs.
namespace flyball::controllers::endpoint_slice {

/// What part of the CPUs each zone has. Nothing if that cannot be told, or there is but one zone.
using ZoneShares = std::optional<std::map<std::string, double>>;
ZoneShares SharesOf(std::span<const cache::Ref<views::Node>> nodes);

/// Whether a change of a node may change the shares.
bool ChangesShares(const views::Node& old, const views::Node& now);

/// How many endpoints are for whom, by zone.
using ZoneCounts = std::map<std::string, int>;

/// Whether some zone has too few endpoints for its share.
bool IsOverloaded(const ZoneCounts& counts, const ZoneShares& shares);

/// The slices of a service and an address family: what is to be written, and what is not yet.
struct SliceGroup {
  common::SliceChanges changes;
  std::vector<common::SliceRef> unchanged;

  /// Has a slice written that was not going to be.
  discovery::v1::EndpointSlice& Touch(const common::SliceRef& slice);
};

/// Gives hints to all endpoints that are ready, in as few writes as it takes. An error says why
/// there can be none; then hints that were there before are still there.
Result<ZoneCounts> GiveZoneHints(const ZoneShares& shares, SliceGroup& slices);

/// Takes away all hints.
void RemoveHints(SliceGroup& slices);

}  // namespace flyball::controllers::endpoint_slice

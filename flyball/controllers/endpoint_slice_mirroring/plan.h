#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/api/discovery/v1.h"
#include "flyball/controllers/common/planned_event.h"
#include "flyball/controllers/common/slice_packing.h"

namespace flyball::controllers::endpoint_slice_mirroring {

using common::SliceRef;
using core::v1::Endpoints;
using core::v1::Service;
using discovery::v1::EndpointSlice;

/// Who looks after a slice, as its label says it.
inline constexpr std::string_view kManager = "endpointslicemirroring-controller.k8s.io";

/// It is one that this controller made.
bool IsMirror(const EndpointSlice& slice);
/// Nobody has said that they are not to be mirrored, and nobody is elected by them.
bool MayBeMirrored(const Endpoints& endpoints);
/// Its Endpoints are written by hand.
bool IsByHand(const Service& service);

/// How much there is of the slices of some Endpoints.
struct Totals {
  std::size_t endpoints = 0;
  std::size_t slices = 0;
  std::size_t fewest_slices = 0;  ///< that would do

  friend bool operator==(const Totals&, const Totals&) = default;
};

/// What is to be done about the slices of some Endpoints.
struct Plan {
  common::SliceChanges changes = {};
  std::vector<common::PlannedEvent> events = {};
  std::size_t added = 0;    ///< endpoints that come into slices
  std::size_t updated = 0;  ///< that are not what their slices say
  std::size_t removed = 0;  ///< that leave
  std::size_t skipped = 0;  ///< addresses that no slice has
  Totals totals = {};

  std::string ToString() const;
  friend bool operator==(const Plan&, const Plan&) = default;
};

/// Decides. `existing` are the mirrors that there are, and of a subset at most so many addresses
/// are mirrored: a subset is one slice for each family of addresses.
Plan PlanFor(const Endpoints& endpoints, const std::vector<SliceRef>& existing,
             std::size_t most_per_subset);

}  // namespace flyball::controllers::endpoint_slice_mirroring

#include "flyball/controllers/endpoint_slice/traffic_hints.h"

#include <algorithm>

namespace flyball::controllers::endpoint_slice {
namespace {

using discovery::v1::Endpoint;
using discovery::v1::EndpointHints;
using discovery::v1::EndpointSlice;
using Hints = api::Box<EndpointHints>;

Hints HintsFor(const Endpoint& endpoint, bool by_node) {
  Hints hints;
  if (endpoint.zone) hints.get_or_emplace().forZones.emplace_back().name = *endpoint.zone;
  if (by_node && endpoint.nodeName) {
    hints.get_or_emplace().forNodes.emplace_back().name = *endpoint.nodeName;
  }
  return hints;
}

/// One without hints may also have some that say nothing.
bool SayTheSame(const Hints& a, const Hints& b) {
  static const EndpointHints kNone;
  const EndpointHints& said = a ? *a : kNone;
  const EndpointHints& other = b ? *b : kNone;
  return said.forZones == other.forZones && said.forNodes == other.forNodes;
}

bool IsReady(const Endpoint& endpoint) { return endpoint.conditions.ready.value_or(false); }

void Give(EndpointSlice& slice, bool by_node) {
  for (Endpoint& endpoint : slice.endpoints) {
    if (IsReady(endpoint)) endpoint.hints = HintsFor(endpoint, by_node);
  }
}

bool HasThem(const EndpointSlice& slice, bool by_node) {
  return std::ranges::all_of(slice.endpoints, [by_node](const Endpoint& endpoint) {
    return !IsReady(endpoint) || SayTheSame(endpoint.hints, HintsFor(endpoint, by_node));
  });
}

}  // namespace

void GiveTrafficHints(std::string_view distribution, SliceGroup& slices) {
  const bool by_node = distribution == "PreferSameNode";
  for (const common::SliceRef& slice : std::vector(slices.unchanged)) {
    if (!HasThem(*slice, by_node)) slices.Touch(slice);
  }
  for (EndpointSlice& slice : slices.changes.to_create) Give(slice, by_node);
  for (EndpointSlice& slice : slices.changes.to_update) Give(slice, by_node);
}

}  // namespace flyball::controllers::endpoint_slice

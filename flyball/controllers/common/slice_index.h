#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/discovery/v1.h"
#include "flyball/api/object_key.h"
#include "flyball/cache/informer.h"

/// Finds the EndpointSlices of a service without looking at those of others.
namespace flyball::controllers::common {

inline constexpr std::string_view kServiceNameLabel = "kubernetes.io/service-name";
inline constexpr std::string_view kManagedByLabel = "endpointslice.kubernetes.io/managed-by";
inline constexpr std::string_view kHeadlessLabel = "service.kubernetes.io/headless";
inline constexpr std::string_view kTriggerTimeAnnotation =
    "endpoints.kubernetes.io/last-change-trigger-time";

inline constexpr std::string_view kServiceIndex = "service";

/// What a label says; empty if it is not there.
inline std::string_view LabelOf(const discovery::v1::EndpointSlice& slice, std::string_view label) {
  const std::string* const value = slice.metadata.labels.find(label);
  return value == nullptr ? std::string_view() : *value;
}

/// The service that a slice says it is of; its name is empty if it says none.
inline api::ObjectKey ServiceOf(const discovery::v1::EndpointSlice& slice) {
  return {slice.metadata.namespace_, std::string(LabelOf(slice, kServiceNameLabel))};
}

inline void IndexByService(const cache::Informer<discovery::v1::EndpointSlice>& slices) {
  slices.AddIndex(std::string(kServiceIndex),
                  [](const discovery::v1::EndpointSlice& slice, cache::IndexValues& values) {
                    const api::ObjectKey service = ServiceOf(slice);
                    if (!service.name.empty()) values.emplace_back(service.ToString());
                  });
}

/// Those that one manager keeps for a service, in the order of their names. Slices that are on
/// their way out are not among them: what is in those is as good as gone.
std::vector<cache::Ref<discovery::v1::EndpointSlice>> SlicesOf(
    const api::ObjectKey& service, std::string_view manager,
    const cache::Lister<discovery::v1::EndpointSlice>& slices);

}  // namespace flyball::controllers::common

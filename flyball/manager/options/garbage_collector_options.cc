#include "flyball/manager/options/garbage_collector_options.h"

#include <array>
#include <string_view>

namespace flyball::manager {
namespace {

/// Groups whose events are not collected: they come and go by themselves.
constexpr std::array<std::string_view, 2> kGroupsOfEvents = {"", "events.k8s.io"};

}  // namespace

void GarbageCollectorOptions::Describe(ConfigWriter& config) const {
  config.Add("EnableGarbageCollector", enabled);
  config.Add("ConcurrentGCSyncs", concurrent_syncs);
  config.AddObjects("GCIgnoredResources", kGroupsOfEvents,
                    [](ConfigWriter& resource, std::string_view group) {
                      resource.Add("Group", group);
                      resource.Add("Resource", "events");
                    });
}

}  // namespace flyball::manager

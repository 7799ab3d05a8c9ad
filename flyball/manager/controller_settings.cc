#include "flyball/manager/controller_settings.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace flyball::manager {
namespace {

/// Less than none is none: where upstream does not mind such a number, it starts no worker.
std::size_t Workers(std::int32_t flag) {
  return static_cast<std::size_t>(std::max(flag, std::int32_t{0}));
}

}  // namespace

controllers::Settings SettingsFrom(const Options& options) {
  controllers::Settings settings;
  settings.ttl_after_finished.workers = Workers(options.ttl_after_finished.concurrent_syncs);
  return settings;
}

}  // namespace flyball::manager

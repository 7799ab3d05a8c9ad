#include "flyball/manager/controller_settings.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "flyball/base/check.h"
#include "flyball/manager/known_controllers.h"

namespace flyball::manager {
namespace {

/// Less than none is none: where upstream does not mind such a number, it starts no worker.
std::size_t Workers(std::int32_t flag) {
  return static_cast<std::size_t>(std::max(flag, std::int32_t{0}));
}

}  // namespace

std::vector<const controllers::Entry*> EnabledControllers(const Options& options) {
  const ControllerSelection selection(options.generic.controllers);
  std::vector<const controllers::Entry*> enabled;
  for (const controllers::Entry& entry : controllers::All()) {
    const auto known = std::ranges::find(KnownControllers(), entry.name, &KnownController::name);
    FLYBALL_CHECK(known != KnownControllers().end(), entry.name);
    if (selection.Enabled(*known, options.versions.gates)) enabled.push_back(&entry);
  }
  return enabled;
}

controllers::Settings SettingsFrom(const Options& options) {
  controllers::Settings settings;
  settings.namespace_deletion.workers = Workers(options.namespaces.concurrent_syncs);
  settings.namespace_deletion.resync = options.namespaces.sync_period;
  settings.ttl_after_finished.workers = Workers(options.ttl_after_finished.concurrent_syncs);
  return settings;
}

}  // namespace flyball::manager

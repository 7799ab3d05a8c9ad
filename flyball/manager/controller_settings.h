#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flyball/client/access_config.h"
#include "flyball/controllers/registry.h"
#include "flyball/manager/options.h"

namespace flyball::manager {

/// Those of our controllers that are to run, by --controllers and feature gates, in their order.
std::vector<const controllers::Entry*> EnabledControllers(const Options& options);

/// Those that would run with upstream's manager, and that we do not have yet.
std::vector<std::string> MissingControllers(const Options& options);

/// Those of ours that --controllers leaves out, or a feature gate.
std::vector<std::string_view> DisabledControllers(const Options& options);

/// What the flags say to each of them, and what is in the files that they name. `access` is the
/// manager's own: where no file says whom clients of the API server are to trust, it is whom we
/// trust.
// DIVERGES: upstream reads the files when it becomes the leader, so that a standby may have bad
// ones and not say so.
Result<controllers::Settings> SettingsFrom(const Options& options,
                                           const client::AccessConfig& access);

}  // namespace flyball::manager

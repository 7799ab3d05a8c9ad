#pragma once

#include "flyball/controllers/registry.h"
#include "flyball/manager/options.h"

namespace flyball::manager {

/// What the flags say to each controller that there is.
controllers::Settings SettingsFrom(const Options& options);

}  // namespace flyball::manager

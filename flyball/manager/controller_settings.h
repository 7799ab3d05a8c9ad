#pragma once

#include <vector>

#include "flyball/controllers/registry.h"
#include "flyball/manager/options.h"

namespace flyball::manager {

/// Those of our controllers that are to run, by --controllers and feature gates, in their order.
std::vector<const controllers::Entry*> EnabledControllers(const Options& options);

/// What the flags say to each of them. What is in files that they name is for who runs them to
/// read.
controllers::Settings SettingsFrom(const Options& options);

}  // namespace flyball::manager

#pragma once

#include <string>

#include "flyball/manager/options.h"

namespace flyball::manager {

/// What /configz answers: the options as upstream's KubeControllerManagerConfiguration, JSON.
std::string Configz(const Options& options);

}  // namespace flyball::manager

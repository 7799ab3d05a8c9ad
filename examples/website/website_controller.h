#pragma once

#include "flyball/operator/manager.h"

namespace website {

/// Serves every Website: its page in a ConfigMap, a Deployment of servers, and a Service in front.
void AddWebsiteController(flyball::Manager& manager);

}  // namespace website

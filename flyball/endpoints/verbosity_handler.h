#pragma once

#include "flyball/base/logging.h"
#include "flyball/endpoints/http_handler.h"

namespace flyball::endpoints {

/// The page /debug/flags/v: a PUT of a number changes how much is logged, until the process ends.
HttpHandler VerbosityHandler(Logger log);

/// The page /debug/flags/, which lists what can be changed so.
transport::Response FlagsIndex(const Call& call);

}  // namespace flyball::endpoints

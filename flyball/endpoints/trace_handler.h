#pragma once

#include <string>
#include <vector>

#include "flyball/base/clock.h"
#include "flyball/endpoints/http_handler.h"
#include "flyball/runtime/trace/trace_report.h"

namespace flyball::endpoints {

/// What controllers did last, as JSON. What is empty or zero is left out.
std::string TraceText(const std::vector<runtime::ControllerTrace>& controllers, WallTime now);

/// The page /debug/trace: the last reconciles of keys, what asked for them, what they read, decided
/// and wrote, and how far the caches are that they read from. `?key=shop/web` and `?controller=`,
/// each as often as one likes, choose; with neither it is all that is remembered.
HttpHandler TraceHandler(runtime::TraceControllers trace, const Clock& clock);

}  // namespace flyball::endpoints

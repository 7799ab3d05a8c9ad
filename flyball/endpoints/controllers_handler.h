#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "flyball/endpoints/http_handler.h"
#include "flyball/runtime/queue_report.h"

namespace flyball::endpoints {

/// A controller, for people to look at.
struct ControllerReport {
  std::string name;
  std::vector<runtime::QueueReport> queues = {};
};

/// Those that run, each queue with at most so many keys.
using ReportControllers = std::function<std::vector<ControllerReport>(std::size_t most_keys)>;

/// The page /debug/controllers: which keys wait, are in work, are held until the caches show what
/// was written, or are delayed, how often each was tried again, and why it failed. JSON; of each
/// queue 100 keys, or as many as `?keys=` says.
HttpHandler ControllersHandler(ReportControllers report);

}  // namespace flyball::endpoints

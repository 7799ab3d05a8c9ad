#pragma once

#include <chrono>
#include <string>

namespace flyball::api {

/// A span of time as people say it: "45s", "3m20s", "5h", "12d". The longer, the coarser.
std::string HumanDuration(std::chrono::nanoseconds duration);

}  // namespace flyball::api

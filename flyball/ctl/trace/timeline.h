#pragma once

#include <cstddef>
#include <string>

#include "flyball/ctl/trace/findings.h"

namespace flyball::ctl::trace {

struct TimelineOptions {
  std::size_t reconciles = 5;  ///< of each object, the last so many
  std::size_t pods = 3;        ///< those that are not ready first
};

/// The pods that the timeline shows, those that are not ready first.
std::vector<const core::v1::Pod*> PodsToShow(const Chain& chain, std::size_t most);

/// What controllers did about each object of the chain, reconcile by reconcile.
std::string RenderTimeline(const Observation& observation, const TimelineOptions& options);

/// "850us", "3.2ms", "1.4s", "5m20s".
std::string SpanText(std::chrono::nanoseconds span);

}  // namespace flyball::ctl::trace

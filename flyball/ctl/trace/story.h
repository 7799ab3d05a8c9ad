#pragma once

#include <cstddef>
#include <string>

#include "flyball/ctl/trace/findings.h"

namespace flyball::ctl::trace {

struct StoryOptions {
  std::size_t turns = 5;  ///< of each object, the last so many
  std::size_t pods = 3;   ///< those that are not ready first
};

/// The pods that the story has room for, those that are not ready first.
std::vector<const core::v1::Pod*> PodsToTell(const Chain& chain, std::size_t most);

/// What controllers did about each object of the chain, turn by turn.
std::string TellStory(const Situation& situation, const StoryOptions& options);

/// "850us", "3.2ms", "1.4s", "5m20s".
std::string SpanText(std::chrono::nanoseconds span);

}  // namespace flyball::ctl::trace

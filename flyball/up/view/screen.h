#pragma once

#include <cstddef>
#include <vector>

#include "flyball/up/view/snapshot.h"
#include "flyball/up/view/styled_text.h"

namespace flyball::up {

struct ScreenSize {
  std::size_t columns = 80;
  std::size_t rows = 24;
  friend bool operator==(const ScreenSize&, const ScreenSize&) = default;
};

/// A snapshot as a screen of that size: at most so many lines, each at most so wide. What is most
/// under way comes first and gets the room that there is; what had to be left out is counted.
std::vector<StyledText> DrawScreen(const Snapshot& snapshot, ScreenSize size);

}  // namespace flyball::up

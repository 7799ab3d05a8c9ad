#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "flyball/base/clock.h"

namespace flyball::controllers::attach_detach {

/// What no object says of a volume on a node. A manager that has just started knows none of it, and
/// gives everybody all of their time again, as upstream's does.
struct VolumeMemory {
  enum class Operation : std::uint8_t { kNone, kAttach, kDetach };

  std::optional<SteadyTime> unwanted_since = {};
  Operation operation = Operation::kNone;  ///< that is under way
  SteadyTime begun = {};                   ///< it, or its latest try
  int failures = 0;                        ///< in a row
  SteadyTime next_try = {};                ///< after a failure
  bool told_of_holder = false;   ///< people know that another node has what only one may have
  bool told_of_success = false;  ///< and that it is attached

  friend bool operator==(const VolumeMemory&, const VolumeMemory&) = default;
};

/// Of a node, by the volumes' names.
using NodeMemory = std::map<std::string, VolumeMemory, std::less<>>;

}  // namespace flyball::controllers::attach_detach

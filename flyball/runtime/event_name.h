#pragma once

#include <string>
#include <string_view>

#include "flyball/api/names.h"
#include "flyball/base/clock.h"

namespace flyball::runtime {

/// "<object>.<nanoseconds since 1970, in hexadecimal>": two events about one object do not come in
/// the same nanosecond.
std::string TimedName(std::string_view object, WallTime now);

/// What a new event is called: TimedName(), or a random UUID where that would be no name, as for a
/// ClusterRole "system:node" or an object whose own name is as long as names may be.
std::string EventName(std::string_view object, WallTime now, const api::RandomBits& random);

/// Where an event about an object is kept: in the object's namespace, or in "default" if it has
/// none.
std::string_view EventNamespace(std::string_view object_namespace);

}  // namespace flyball::runtime

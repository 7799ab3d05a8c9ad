#pragma once

#include "flyball/runtime/controller_ref.h"

namespace flyball::controllers::common {

using runtime::ControllerOf;
using runtime::ControllerRefTo;

}  // namespace flyball::controllers::common

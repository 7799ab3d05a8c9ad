#pragma once

#include "flyball/controllers/common/controller_ref.h"
#include "flyball/runtime/controller_index.h"

namespace flyball::controllers::common {

using runtime::ControlledBy;
using runtime::ControllerIndexValue;
using runtime::IndexByController;
using runtime::kControllerIndex;
using runtime::OrphansIn;

}  // namespace flyball::controllers::common

#pragma once

#include "flyball/base/error.h"

namespace flyball::controllers::common {

/// Whether something was not created because its namespace is on its way out: nothing that another
/// try would change.
bool IsNamespaceTerminating(const Error& error);

}  // namespace flyball::controllers::common

#pragma once

#include <string>

#include "flyball/api/names.h"

namespace flyball::api {

/// A random UUID (version 4), as objects and processes have one that nothing else ever had.
std::string NewUid(const RandomBits& random);

}  // namespace flyball::api

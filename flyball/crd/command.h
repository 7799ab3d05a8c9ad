#pragma once

#include <string>
#include <vector>

#include "flyball/base/result.h"

namespace flyball::crd {

/// `flyball gen crd --crd FILE... --out DIR [--namespace NS]`: reads CustomResourceDefinitions and
/// writes their C++ types and tables; see generate_crds.h for what comes out.
Result<> RunCommand(const std::vector<std::string>& arguments);

}  // namespace flyball::crd

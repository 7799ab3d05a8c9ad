#pragma once

#include <string>

namespace flyball::cli {

/// "flyball 0.1.0 (Kubernetes v1.37.1)".
std::string VersionText();

}  // namespace flyball::cli

#include "flyball/cli/version.h"

namespace flyball::cli {

std::string VersionText() { return "flyball " FLYBALL_VERSION " (Kubernetes v1.37.1)"; }

}  // namespace flyball::cli

#pragma once

#include <vector>

#include "flyball/client/discovery.h"

namespace flyball::controllers::common {

/// What a server serves, each resource in one version only: the one that its group prefers, if it
/// has it there. What is served by a server behind it that does not answer is not among them.
std::vector<client::ServedResource> PreferredResources(const client::Served& served);

}  // namespace flyball::controllers::common

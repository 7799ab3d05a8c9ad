#pragma once

#include <string>

#include "flyball/sandbox/discovery/served_groups.h"

namespace flyball::sandbox {

/// The OpenAPI v3 document of one group and version, as JSON: its paths, with the verbs on them,
/// and the schemas of what goes in and comes out. It has what kubectl looks for.
std::string OpenApiDocument(const ServedGroup& group, const ServedVersion& version);

}  // namespace flyball::sandbox

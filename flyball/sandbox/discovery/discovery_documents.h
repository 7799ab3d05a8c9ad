#pragma once

#include <vector>

#include "flyball/api/apidiscovery/v2.h"
#include "flyball/api/meta/v1.h"
#include "flyball/sandbox/discovery/served_groups.h"

/// What is served, in the forms in which clients ask for it.
namespace flyball::sandbox {

meta::v1::APIVersions CoreVersionsDocument(const ServedGroup& core);
meta::v1::APIGroup GroupDocument(const ServedGroup& group);
/// All but core, which has a document of its own.
meta::v1::APIGroupList GroupListDocument(const std::vector<ServedGroup>& groups);
meta::v1::APIResourceList ResourceListDocument(const ServedGroup& group,
                                               const ServedVersion& version);

/// Everything at once: of core, or of all but core.
apidiscovery::v2::APIGroupDiscoveryList AggregatedDocument(const std::vector<ServedGroup>& groups,
                                                           bool core);

}  // namespace flyball::sandbox

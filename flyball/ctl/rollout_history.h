#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "flyball/api/json.h"
#include "flyball/base/result.h"
#include "flyball/client/resource_client.h"

/// What a Deployment has been, as its ReplicaSets tell it.
namespace flyball::ctl {

/// Those of the ReplicaSets that a Deployment controls.
std::vector<api::Json> ControlledBy(const api::Json& owner, std::vector<api::Json> objects);

/// "REVISION  CHANGE-CAUSE" and a line each, or that there is nothing.
std::string HistoryText(const std::vector<api::Json>& replica_sets);

/// The one of a revision; of revision zero, the one before the last.
Result<api::Json> ReplicaSetAt(const api::Json& deployment,
                               const std::vector<api::Json>& replica_sets, std::int64_t revision);

/// Whether two pod templates are the same, but for the label with which ReplicaSets tell pods
/// apart.
bool SameTemplate(const api::Json& deployment, const api::Json& replica_set);

/// The patch that takes a Deployment back to what a ReplicaSet is.
client::Patch UndoPatch(const api::Json& deployment, api::Json replica_set);

}  // namespace flyball::ctl

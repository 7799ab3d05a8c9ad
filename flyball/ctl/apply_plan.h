#pragma once

#include <string>

#include "flyball/api/json.h"
#include "flyball/api/strategic_merge.h"
#include "flyball/api/type_info.h"
#include "flyball/base/result.h"
#include "flyball/client/resource_client.h"

/// What `apply` sends, decided without a server. What was applied the last time stands in an
/// annotation that kubectl and this command share, byte for byte: an object can be applied by
/// either in turn.
namespace flyball::ctl {

inline constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/// The object with itself, as it is without that, in the annotation.
api::Json WithLastApplied(api::Json object);

/// Whether the annotation is there.
bool HasLastApplied(const api::Json& object);

/// The object as it is created: a member that is null is none.
api::Json WithoutNulls(api::Json object);

/// The patch that brings what is there to what is asked for now. What was asked for the last time
/// and is not any more goes; what others have set stays. Strategic where the kind's table is known,
/// else a merge patch. Its text is "{}" if nothing is to be done.
Result<client::Patch> PlanApply(const api::Json& wanted, const api::Json& current,
                                const api::TypeInfo* type, api::OnConflict on_conflict);

/// The merge patch of an apply, for kinds of which nothing is known.
Result<api::Json> CreateThreeWayMergePatch(const api::ThreeWay& documents);

}  // namespace flyball::ctl

#pragma once

#include "flyball/api/core/v1.h"
#include "flyball/controllers/namespace_deletion/plan.h"
#include "flyball/runtime/context.h"

namespace flyball::controllers::namespace_deletion {

/// Deletes what is in a namespace, as far as that goes today: all that the server serves, pods
/// first, and the rest only when no pod is left, since pods may need it to end well. What cannot be
/// deleted, or not be asked about, is no reason to leave out the others.
///
/// What the server serves is asked for each time: kinds come and go, and one that is not known of
/// would be left behind. Ends early, with findings that mean nothing, if the reconcile is to stop.
Findings DeleteContent(runtime::Context& context, const core::v1::Namespace& space);

}  // namespace flyball::controllers::namespace_deletion

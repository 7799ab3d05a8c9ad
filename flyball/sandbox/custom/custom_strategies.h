#pragma once

#include "flyball/sandbox/rest_strategy.h"

namespace flyball::sandbox {

inline constexpr std::string_view kCleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

/// Of CustomResourceDefinitions: which names they get, and what they may say.
/// DIVERGES: upstream's controllers do this a moment later; here a CRD is established when it is
/// stored, and what is wrong with it is the first thing that is.
const RestStrategy& CustomDefinitionRestStrategy();

/// Of objects that CRDs define: they keep to the schema.
const RestStrategy& CustomObjectRestStrategy();

}  // namespace flyball::sandbox

#pragma once

#include "flyball/base/result.h"
#include "flyball/crd/crd_document.h"

namespace flyball::crd {

/// Whether the API server would take what a CRD says around its schemas: names, scope, versions,
/// subresources and printer columns. Conversion is not looked at.
Result<> CheckDefinition(const CrdDocument& document);

}  // namespace flyball::crd

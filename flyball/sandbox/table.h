#pragma once

#include <vector>

#include "flyball/api/meta/v1.h"
#include "flyball/base/clock.h"
#include "flyball/sandbox/record.h"
#include "flyball/sandbox/representation.h"
#include "flyball/sandbox/resources.h"

namespace flyball::sandbox {

struct TableOptions {
  IncludedObject included = IncludedObject::kMetadata;
  bool head_shown = true;  ///< in a watch only the first table has columns
};

/// What `kubectl get` prints: columns, and a row an object.
meta::v1::Table TableOf(const Resource& resource, const std::vector<RecordPtr>& records,
                        const meta::v1::ListMeta& head, WallTime now, TableOptions options = {});

}  // namespace flyball::sandbox

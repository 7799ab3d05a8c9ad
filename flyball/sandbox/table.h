#pragma once

#include <optional>
#include <vector>

#include "flyball/api/meta/v1.h"
#include "flyball/base/clock.h"
#include "flyball/sandbox/record.h"
#include "flyball/sandbox/resources.h"
#include "flyball/sandbox/response_encoder.h"

namespace flyball::sandbox {

struct TableOptions {
  IncludedObject included = IncludedObject::kMetadata;
  bool head_shown = true;  ///< in a watch only the first table has columns
};

/// What `kubectl get` prints: columns, and a row an object.
meta::v1::Table TableOf(const Resource& resource, const std::vector<RecordPtr>& records,
                        const meta::v1::ListMeta& head, WallTime now, TableOptions options = {});

/// The same of what is answered and not stored, such as a scale; none if it has no columns.
std::optional<meta::v1::Table> TableOf(const void* object, const api::TypeInfo& type, WallTime now);

}  // namespace flyball::sandbox

#pragma once

#include "flyball/api/internal/json_place.h"
#include "flyball/api/internal/patch_schema.h"
#include "flyball/api/json.h"
#include "flyball/base/result.h"

namespace flyball::api {

/// Whether two strategic merge patches change something in different ways.
Result<bool> PatchesConflict(const Json::Object& a, const Json::Object& b,
                             const PatchSchema& schema, const JsonPlace& at);

}  // namespace flyball::api

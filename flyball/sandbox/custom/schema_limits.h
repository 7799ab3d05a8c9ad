#pragma once

#include <optional>
#include <string>

#include "flyball/api/apiextensions/v1.h"
#include "flyball/sandbox/api_status_error.h"

namespace flyball::sandbox {

/// How deep a CRD's schema may nest: each step through `properties`, `items`,
/// `additionalProperties`, `allOf`, `anyOf`, `oneOf` or `not` is a level. A level is up to two
/// levels of an object, in JSON or in protobuf, which may have 100 in all.
///
/// DIVERGES: upstream takes what its API server can hold.
inline constexpr int kMaxSchemaLevels = 45;

/// The first thing for which a structural schema is refused all the same: it is nested too deep, or
/// has a pattern that is no regular expression. `path` is where the schema is.
std::optional<FieldError> FindSchemaError(const apiextensions::v1::JSONSchemaProps& schema,
                                          const std::string& path);

}  // namespace flyball::sandbox

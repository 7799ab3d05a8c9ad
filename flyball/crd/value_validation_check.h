#pragma once

#include <string>

#include "flyball/api/apiextensions/v1.h"
#include "flyball/base/result.h"

namespace flyball::crd {

/// What no schema may say, wherever it stands: references, definitions, lists of item schemas,
/// unknown types, and the like.
Result<> CheckSupported(const apiextensions::v1::JSONSchemaProps& schema, const std::string& path);

/// What a schema says in allOf, anyOf, oneOf and not: only limits, and only on values that the
/// schema itself describes. The exception is how int-or-string is spelled.
Result<> CheckValueValidation(const apiextensions::v1::JSONSchemaProps& schema,
                              const std::string& path);

}  // namespace flyball::crd

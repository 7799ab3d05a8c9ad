#pragma once

#include <string>

#include "flyball/api/apiextensions/v1.h"
#include "flyball/base/result.h"

namespace flyball::crd {

/// What no schema may say, wherever it stands: references, definitions, lists of item schemas,
/// unknown types, and the like.
Result<> CheckSupported(const apiextensions::v1::JSONSchemaProps& schema, const std::string& path);

/// What a schema says in allOf, anyOf, oneOf and not: only limits, but for the way int-or-string is
/// spelled.
/// PARITY: that the schema itself has to describe what is limited is asked at the root alone.
Result<> CheckValueValidation(const apiextensions::v1::JSONSchemaProps& schema,
                              const std::string& path, bool is_root);

}  // namespace flyball::crd

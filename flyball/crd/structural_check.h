#pragma once

#include <string>

#include "flyball/api/apiextensions/v1.h"
#include "flyball/base/result.h"

namespace flyball::crd {

/// Whether the API server would take a version's openAPIV3Schema: it has to be structural, that is,
/// say of every value what it is, once and outside of allOf, anyOf, oneOf and not, which may only
/// narrow it down. The first thing wrong is the error, kInvalid, with its path behind `path`.
///
/// Not looked at: CEL rules, whether a `pattern` compiles, and whether a default keeps to limits
/// (minimum, maxLength, pattern and the like).
Result<> CheckStructural(const apiextensions::v1::JSONSchemaProps& root, bool has_status,
                         const std::string& path);

}  // namespace flyball::crd

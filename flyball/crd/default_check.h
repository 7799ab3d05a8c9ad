#pragma once

#include <string>

#include "flyball/api/apiextensions/v1.h"
#include "flyball/base/result.h"

namespace flyball::crd {

/// Whether a schema's default is a value of that schema: of its type, with every required member
/// and no unknown one, among the values of an enum. `path` is the default's own.
Result<> CheckDefault(const apiextensions::v1::JSONSchemaProps& schema, const std::string& path);

}  // namespace flyball::crd

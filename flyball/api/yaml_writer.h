#pragma once

#include <string>

#include "flyball/api/json.h"

namespace flyball::api {

/// A document as YAML for people: block style, members in name order, lists not indented under
/// their key, as kubectl prints it. Strings that could be read as something else are quoted.
std::string ToYaml(const Json& document);

}  // namespace flyball::api

#pragma once

#include <map>
#include <string>
#include <string_view>

#include "flyball/api/json.h"

namespace flyball::scenario {

/// What the names in a scenario stand for.
using Values = std::map<std::string, api::Json, std::less<>>;

/// Text with its placeholders filled in: `$(name)` is a value, `$(x*1000)` a thousand times "x".
/// Names that have no value stay as they are.
std::string FillInText(std::string_view text, const Values& values);

/// The same in all texts of a tree. One that is a placeholder and nothing else becomes the value
/// itself, whatever it is.
api::Json FillIn(const api::Json& tree, const Values& values);

}  // namespace flyball::scenario

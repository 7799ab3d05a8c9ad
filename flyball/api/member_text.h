#pragma once

#include <string>
#include <string_view>

#include "flyball/api/type_info.h"

namespace flyball::api {

/// A leaf of an object as text, by its place: "status.phase", "spec.unschedulable". Numbers in
/// decimal, booleans as true and false; empty for what is not there. Lists and maps have no text.
std::string MemberText(const void* object, const TypeInfo& type, std::string_view path);

}  // namespace flyball::api

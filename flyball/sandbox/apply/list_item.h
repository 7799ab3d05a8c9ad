#pragma once

#include "flyball/sandbox/apply/path_element.h"
#include "flyball/sandbox/apply/type_schema.h"

namespace flyball::sandbox::apply {

/// Whether an item can be told apart from others of its list, as the list's type wants it.
Result<> CheckItem(const TypeNode& list, const Json& item);
/// The step to such an item.
Result<PathElement> ElementOfItem(const TypeNode& list, const Json& item);

}  // namespace flyball::sandbox::apply

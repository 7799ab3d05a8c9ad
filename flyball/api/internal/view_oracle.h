#pragma once

#include <string>

#include "flyball/api/type_info.h"
#include "flyball/api/view_info.h"

/// For tests: whether a view says the same as the full object of the same bytes.
namespace flyball::api {

/// Compares every field of a view, followed through its table, with the field of the same number in
/// the full object. The answer is empty, or names the first field that differs.
std::string CompareWithFull(const void* view_object, const ViewInfo& view, const void* full_object,
                            const TypeInfo& type);

}  // namespace flyball::api

#pragma once

#include <string_view>

#include "flyball/api/type_info.h"
#include "flyball/sandbox/apply/field_filter.h"

namespace flyball::sandbox::apply {

/// What writers to a resource, or to one of its subresources, can own: upstream's strategies say
/// which fields they reset. The same in all versions of a kind.
FieldFilter OwnableFields(const api::TypeInfo& kind, std::string_view subresource);

/// The same of a custom kind, which may have a status subresource or not.
FieldFilter OwnableFieldsOfCustomKind(bool has_status, std::string_view subresource);

}  // namespace flyball::sandbox::apply

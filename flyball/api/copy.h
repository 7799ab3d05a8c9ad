#pragma once

#include "flyball/api/object.h"
#include "flyball/api/type_info.h"

/// Copies of objects and their parts whose type is known at run time only.
namespace flyball::api {

/// Makes the struct `to` what `from` is, unknown fields included.
void CopyStruct(void* to, const void* from, const TypeInfo& type);

/// The same for one member of it; `field` is one of the type's.
void CopyMember(void* to, const void* from, const Field& field);

AnyObject Copy(const AnyObject& object);

}  // namespace flyball::api

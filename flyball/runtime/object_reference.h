#pragma once

#include <concepts>
#include <string_view>

#include "flyball/api/core/v1.h"
#include "flyball/api/json.h"
#include "flyball/api/object_identity.h"
#include "flyball/api/type_info.h"

namespace flyball::runtime {

/// A reference to an object, as upstream makes it for events: with the uid, and with the version
/// that whoever refers to it has seen.
core::v1::ObjectReference MakeReference(const api::ObjectIdentity& object,
                                        std::string_view api_version, std::string_view kind);

/// To anything.
core::v1::ObjectReference ReferenceTo(const api::Json& object);

/// To a generated kind, a view of one, or what is a reference already. An object that says its kind
/// is believed; one that a typed client has read does not, and is of the kind that its type is.
template <typename T>
core::v1::ObjectReference ReferenceTo(const T& object) {
  if constexpr (std::same_as<T, core::v1::ObjectReference>) {
    return object;
  } else if constexpr (requires { T::kView; }) {
    const api::TypeInfo& kind = *T::kView.kind;
    return MakeReference(api::IdentityOf(object), kind.ApiVersion(), kind.name);
  } else if (object.kind.empty() && object.apiVersion.empty()) {
    return MakeReference(api::IdentityOf(object), T::kType.ApiVersion(), T::kType.name);
  } else {
    return MakeReference(api::IdentityOf(object), object.apiVersion, object.kind);
  }
}

}  // namespace flyball::runtime

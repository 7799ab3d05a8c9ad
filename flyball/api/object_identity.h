#pragma once

#include <string_view>

#include "flyball/api/json.h"

namespace flyball::api {

/// What tells one object from another, and one version of it from the next, whatever form it is
/// kept in. Texts of the object itself.
struct ObjectIdentity {
  std::string_view namespace_;
  std::string_view name;
  std::string_view uid;
  std::string_view resource_version;
};

/// Of a generated kind or a view.
template <typename T>
ObjectIdentity IdentityOf(const T& object) {
  const auto& metadata = object.metadata;
  ObjectIdentity identity{{}, metadata.name, metadata.uid, metadata.resourceVersion};
  // A view of a kind that has no namespaces has no place for one.
  if constexpr (requires { metadata.namespace_; }) identity.namespace_ = metadata.namespace_;
  return identity;
}

/// Of anything.
ObjectIdentity IdentityOf(const Json& object);

}  // namespace flyball::api

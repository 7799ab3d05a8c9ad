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
  return {metadata.namespace_, metadata.name, metadata.uid, metadata.resourceVersion};
}

/// Of anything.
ObjectIdentity IdentityOf(const Json& object);

}  // namespace flyball::api

#pragma once

#include <string>
#include <string_view>

#include "flyball/api/type_info.h"

namespace flyball::client {

/// A collection that an API server serves: where it is, and what is in it.
struct Resource {
  std::string group;  ///< empty for the core group
  std::string version;
  std::string plural;  ///< "deployments"
  std::string kind;    ///< "Deployment"
  bool namespaced = true;

  /// That of a kind in the schema, or of what a view shows.
  template <typename T>
  static Resource Of() {
    if constexpr (requires { T::kView; }) {
      return Of(*T::kView.kind);
    } else {
      return Of(T::kType);
    }
  }
  static Resource Of(const api::TypeInfo& type);

  /// "/apis/apps/v1/namespaces/ns/deployments/web/status", with what needs it escaped. Parts that
  /// are empty are left out.
  std::string Path(std::string_view namespace_, std::string_view name = {},
                   std::string_view subresource = {}) const;
  /// "apps/v1", or "v1" for the core group.
  std::string ApiVersion() const { return group.empty() ? version : group + "/" + version; }
  /// "deployments.apps", as in messages.
  std::string QualifiedName() const { return group.empty() ? plural : plural + "." + group; }

  friend bool operator==(const Resource&, const Resource&) = default;
};

/// The text as it may stand between slashes of a path, or as a value of a query.
std::string EscapeUrl(std::string_view text);

}  // namespace flyball::client

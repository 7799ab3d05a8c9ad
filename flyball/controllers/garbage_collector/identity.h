#pragma once

#include <compare>
#include <string>

#include "flyball/api/object_key.h"

namespace flyball::controllers::garbage_collector {

/// What an object is, or is said to be by one that refers to it: all as the server has it, the uid
/// too. Ordered by kind first, so that the order of two does not depend on whether they are in
/// namespaces.
struct Identity {
  std::string kind;
  std::string api_version;
  std::string namespace_;
  std::string name;
  std::string uid;

  api::ObjectKey key() const { return {namespace_, name}; }
  /// As in upstream's logs and events: "[apps/v1/ReplicaSet, namespace: ns, name: web, uid: ...]".
  std::string ToString() const {
    return "[" + api_version + "/" + kind + ", namespace: " + namespace_ + ", name: " + name +
           ", uid: " + uid + "]";
  }

  friend bool operator==(const Identity&, const Identity&) = default;
  friend auto operator<=>(const Identity&, const Identity&) = default;
};

inline LogReference ToLogValue(const Identity& identity) {
  return {.api_version = identity.api_version,
          .kind = identity.kind,
          .namespace_ = identity.namespace_,
          .name = identity.name,
          .uid = identity.uid};
}

}  // namespace flyball::controllers::garbage_collector

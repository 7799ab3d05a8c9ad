#include "flyball/api/object_identity.h"

#include <string>

namespace flyball::api {

ObjectIdentity IdentityOf(const Json& object) {
  const Json* const metadata = object.Find("metadata");
  const auto text = [&](std::string_view name) -> std::string_view {
    const Json* const value = metadata == nullptr ? nullptr : metadata->Find(name);
    const std::string* const found = value == nullptr ? nullptr : value->If<std::string>();
    return found == nullptr ? std::string_view() : *found;
  };
  return {text("namespace"), text("name"), text("uid"), text("resourceVersion")};
}

}  // namespace flyball::api

#include "flyball/runtime/object_reference.h"

#include <string>

namespace flyball::runtime {

core::v1::ObjectReference MakeReference(const api::ObjectIdentity& object,
                                        std::string_view api_version, std::string_view kind) {
  core::v1::ObjectReference reference;
  reference.apiVersion = api_version;
  reference.kind = kind;
  reference.namespace_ = object.namespace_;
  reference.name = object.name;
  reference.uid = object.uid;
  reference.resourceVersion = object.resource_version;
  return reference;
}

core::v1::ObjectReference ReferenceTo(const api::Json& object) {
  const auto text = [&](std::string_view name) -> std::string_view {
    const api::Json* const value = object.Find(name);
    const std::string* const found = value == nullptr ? nullptr : value->If<std::string>();
    return found == nullptr ? std::string_view() : *found;
  };
  return MakeReference(api::IdentityOf(object), text("apiVersion"), text("kind"));
}

}  // namespace flyball::runtime

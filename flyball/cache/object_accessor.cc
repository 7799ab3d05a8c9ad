#include "flyball/cache/object_accessor.h"

namespace flyball::cache {

meta::v1::ObjectMeta ObjectMetaOf(const api::Json& object) {
  const api::Json* const metadata = object.Find("metadata");
  if (metadata == nullptr) return {};
  // What does not decode has no metadata that anyone could go by; the server does not send it.
  return api::DecodeJson<meta::v1::ObjectMeta>(metadata->ToString())
      .value_or(meta::v1::ObjectMeta());
}

template <>
api::Json KeyOnlyObjectOf<api::Json>(const api::ObjectIdentity& identity) {
  api::Json::Object metadata;
  metadata["namespace"] = std::string(identity.namespace_);
  metadata["name"] = std::string(identity.name);
  metadata["uid"] = std::string(identity.uid);
  metadata["resourceVersion"] = std::string(identity.resource_version);
  api::Json::Object object;
  object["metadata"] = std::move(metadata);
  return object;
}

}  // namespace flyball::cache

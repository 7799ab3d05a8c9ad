#include "flyball/runtime/context.h"

namespace flyball::runtime {

Result<> Context::Delete(const client::Resource& resource, const api::ObjectIdentity& identity,
                         meta::v1::DeleteOptions options) {
  if (!options.preconditions) options.preconditions.emplace();
  options.preconditions->uid = std::string(identity.uid);
  const api::ObjectKey key{std::string(identity.namespace_), std::string(identity.name)};
  auto deleted = deps_.client.Dynamic(resource).Delete(key, options);
  if (deleted) {
    writes_.Deleted(resource, key, std::string(identity.uid));
  } else {
    writes_.Failed(resource, deleted.error());
  }
  return deleted;
}

Result<api::Json> Context::Create(const client::Resource& resource, const api::Json& object) {
  return Store(deps_.client.Dynamic(resource), [&](const auto& of) { return of.Create(object); });
}

Result<api::Json> Context::Update(const client::Resource& resource, const api::Json& object) {
  return Store(deps_.client.Dynamic(resource), [&](const auto& of) { return of.Update(object); });
}

}  // namespace flyball::runtime

#include "flyball/runtime/context.h"

namespace flyball::runtime {
namespace {

api::ObjectKey KeyOf(const api::ObjectIdentity& identity) {
  return {std::string(identity.namespace_), std::string(identity.name)};
}

}  // namespace

Result<> Context::Delete(const client::Resource& resource, const api::ObjectIdentity& identity,
                         meta::v1::DeleteOptions options) {
  return NotedDelete(resource, identity,
                     StartDelete(resource, identity, std::move(options)).Wait());
}

std::vector<Result<>> Context::DeleteAll(const client::Resource& resource,
                                         std::span<const api::ObjectIdentity> objects) {
  std::vector<client::Pending<void>> pending;
  pending.reserve(objects.size());
  for (const auto& object : objects) pending.push_back(StartDelete(resource, object, {}));
  std::vector<Result<>> deleted;
  deleted.reserve(objects.size());
  for (std::size_t i = 0; i < objects.size(); ++i) {
    deleted.push_back(NotedDelete(resource, objects[i], pending[i].Wait()));
  }
  return deleted;
}

client::Pending<void> Context::StartDelete(const client::Resource& resource,
                                           const api::ObjectIdentity& identity,
                                           meta::v1::DeleteOptions options) const {
  if (!options.preconditions) options.preconditions.emplace();
  options.preconditions->uid = std::string(identity.uid);
  return deps_.client.Metadata(resource).Async().Delete(KeyOf(identity), options);
}

Result<> Context::NotedDelete(const client::Resource& resource, const api::ObjectIdentity& identity,
                              Result<> deleted) {
  if (deleted) {
    writes_.Deleted(resource, KeyOf(identity), std::string(identity.uid));
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

Result<Context::Stored> Context::Patch(const client::Resource& resource, const api::ObjectKey& key,
                                       const client::Patch& patch) {
  return Store(deps_.client.Metadata(resource),
               [&](const auto& of) { return of.Patch(key, patch); });
}

}  // namespace flyball::runtime

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
  auto deleted = WaitForAll(pending);
  for (std::size_t i = 0; i < objects.size(); ++i) {
    deleted[i] = NotedDelete(resource, objects[i], std::move(deleted[i]));
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
  notes_.Wrote(Verb::kDelete, resource, identity.name, {}, deleted ? nullptr : &deleted.error());
  return deleted;
}

Result<api::Json> Context::Create(const client::Resource& resource, const api::Json& object) {
  return Store(Verb::kCreate, deps_.client.Dynamic(resource), api::IdentityOf(object).name, {},
               [&](const auto& of) { return of.Create(object); });
}

Result<api::Json> Context::Update(const client::Resource& resource, const api::Json& object) {
  return Store(Verb::kUpdate, deps_.client.Dynamic(resource), api::IdentityOf(object).name, {},
               [&](const auto& of) { return of.Update(object); });
}

Result<Context::Stored> Context::Patch(const client::Resource& resource, const api::ObjectKey& key,
                                       const client::Patch& patch) {
  return Store(Verb::kPatch, deps_.client.Metadata(resource), key.name, {},
               [&](const auto& of) { return of.Patch(key, patch); });
}

}  // namespace flyball::runtime

#include "flyball/runtime/context.h"

#include <algorithm>

#include "flyball/client/unreadable.h"
#include "flyball/runtime/consistency_store.h"

namespace flyball::runtime {
namespace {

bool IsOfMetadataOnly(const client::Patch& patch) {
  const auto parsed = api::Json::Parse(patch.text);
  const auto* const members = parsed ? parsed->If<api::Json::Object>() : nullptr;
  return members != nullptr && members->size() == 1 && members->contains("metadata");
}

/// Whether a write was refused because the object is not what the writer takes it for. A field that
/// another manager owns has nothing to do with that.
bool IsOutdated(const Error& error) {
  return error.code() == ErrorCode::kConflict &&
         std::ranges::find(error.detail().causes, "FieldManagerConflict", &ErrorCause::reason) ==
             error.detail().causes.end();
}

}  // namespace

Result<> Context::CheckReadable(const client::Resource& resource, const api::ObjectKey& key,
                                const client::Patch* patch) const {
  const std::string name = resource.QualifiedName();
  for (const ReadCache& read : deps_.reads) {
    if (read.resource != name || read.cache->keep() != cache::Keep::kObjects) continue;
    const cache::Object object = read.cache->store().Get(key.namespace_, key.name);
    const std::string* const reason = client::UnreadableReason(object);
    if (reason == nullptr || (patch != nullptr && IsOfMetadataOnly(*patch))) continue;
    return Fail(ErrorCode::kUnsupported,
                name + " " + key.ToString() +
                    " cannot be decoded, only its metadata may be patched: " + *reason);
  }
  return {};
}

Result<std::optional<meta::v1::ObjectMeta>> Context::FindOwn(
    const client::Resource& resource, const api::ObjectKey& key,
    std::string_view controller_uid) const {
  const std::string name = resource.QualifiedName();
  const auto read = std::ranges::find(deps_.reads, name, &ReadCache::resource);
  if (read == deps_.reads.end() || controller_uid.empty()) {
    return Fail(ErrorCode::kUnsupported,
                "whose " + name + " " + key.ToString() + " is, no cache and no owner tells");
  }
  FLYBALL_TRY(auto found, read->cache->AskFor(key, deps_.stop));
  if (!found)
    return Fail(ErrorCode::kNotFound, "the cache of " + name + " selects no " + key.ToString());
  if (ControllerUidOf(*found) != controller_uid) return std::nullopt;
  return found;
}

bool Context::TakeNameInDoubt(MadeName& name) {
  if (names_in_doubt_.empty()) return false;
  const SteadyTime now = deps_.client.rest().clock().SteadyNow();
  const std::string resource = name.resource.QualifiedName();
  const auto read = std::ranges::find(deps_.reads, resource, &ReadCache::resource);
  for (auto each = names_in_doubt_.begin(); each != names_in_doubt_.end();) {
    const bool there = read != deps_.reads.end() && read->cache->Find(each->object);
    const bool like = each->resource == name.resource &&
                      each->generate_name == name.generate_name &&
                      each->object.namespace_ == name.object.namespace_;
    if (!like) {
      ++each;
      continue;
    }
    MadeName candidate = std::move(*each);
    each = names_in_doubt_.erase(each);
    // One that the cache shows has been counted, and one whose time is up will never be there.
    if (there || candidate.until <= now) continue;
    name = std::move(candidate);
    return true;
  }
  return false;
}

void Context::KeepIfInDoubt(MadeName name, const Error& error) {
  const SteadyTime now = deps_.client.rest().clock().SteadyNow();
  if (error.fate() == RequestFate::kUnknown) {
    name.until =
        std::max(name.until, now + error.detail().unsettled_for + ConsistencyStore::kSettleMargin);
  }
  if (name.until > now) names_in_doubt_.push_back(std::move(name));
}

void Context::NoteFailed(Verb verb, const client::Resource& resource,
                         const api::ObjectIdentity& written, const Error& error) {
  writes_.Failed(resource, KeyOf(written), error,
                 verb == Verb::kDelete ? written.uid : std::string_view());
  if (error.fate() != RequestFate::kRefused || written.name.empty()) return;
  if (verb == Verb::kCreate) {
    // It is there: sooner or later the cache shows it.
    if (error.code() == ErrorCode::kAlreadyExists) {
      writes_.ProvedStale(resource, KeyOf(written), {}, {});
    }
    return;
  }
  if (error.code() != ErrorCode::kNotFound && !IsOutdated(error)) return;
  std::string uid(written.uid);
  std::string version(written.resource_version);
  if (uid.empty()) {
    // A patch of what the cache shows.
    const std::string name = resource.QualifiedName();
    const auto read = std::ranges::find(deps_.reads, name, &ReadCache::resource);
    const auto shown = read == deps_.reads.end() ? std::nullopt : read->cache->Find(KeyOf(written));
    if (!shown) return;
    uid = shown->uid;
    version = shown->resource_version;
  }
  // Who deletes means the object, in whatever state it is.
  if (verb == Verb::kDelete) version.clear();
  writes_.ProvedStale(resource, KeyOf(written), std::move(uid), std::move(version));
}

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
    NoteFailed(Verb::kDelete, resource, identity, deleted.error());
  }
  notes_.Wrote(Verb::kDelete, resource, identity.name, {}, deleted ? nullptr : &deleted.error());
  return deleted;
}

Result<api::Json> Context::Create(const client::Resource& resource, const api::Json& object) {
  const auto of = deps_.client.Dynamic(resource);
  return CreateOne(resource, object, [&](const api::Json& named) { return of.Create(named); });
}

Result<api::Json> Context::Update(const client::Resource& resource, const api::Json& object) {
  return Store(Verb::kUpdate, deps_.client.Dynamic(resource), api::IdentityOf(object), {},
               [&](const auto& of) -> Result<api::Json> {
                 FLYBALL_TRY(CheckReadable(resource, KeyOf(api::IdentityOf(object))));
                 return of.Update(object);
               });
}

Result<Context::Stored> Context::Patch(const client::Resource& resource, const api::ObjectKey& key,
                                       const client::Patch& patch) {
  return Store(Verb::kPatch, deps_.client.Metadata(resource), IdentityOf(key), {},
               [&](const auto& of) -> Result<Stored> {
                 FLYBALL_TRY(CheckReadable(resource, key, &patch));
                 return of.Patch(key, patch);
               });
}

}  // namespace flyball::runtime

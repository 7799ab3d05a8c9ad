#pragma once

#include <cstddef>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flyball/api/object_identity.h"
#include "flyball/base/clock.h"
#include "flyball/base/logging.h"
#include "flyball/client/client.h"
#include "flyball/runtime/event_recorder.h"
#include "flyball/runtime/write_log.h"

namespace flyball::runtime {

/// What one reconcile has: the time, a log, a recorder of events, and the means to write. It
/// remembers what was written, and the next reconcile of the same key waits until the caches show
/// it; so write through this, and read from listers.
///
/// For the thread of the reconcile, until it ends.
class Context {
 public:
  struct Deps {
    const client::Client& client;
    EventRecorder& events;
    WallTime now;
    Logger log = {};
    std::stop_token stop = {};
  };
  explicit Context(Deps deps) : deps_(std::move(deps)) {}

  /// The one time that this reconcile goes by.
  WallTime now() const { return deps_.now; }
  const Logger& log() const { return deps_.log; }
  /// For what people who look at an object ought to know. Never waits, never fails.
  EventRecorder& events() const { return deps_.events; }
  /// Asked for when the controller shuts down, or the reconcile takes too long.
  const std::stop_token& stop() const { return deps_.stop; }
  /// For what no cache shows: evictions, bindings, tokens, and reads that must be current.
  const client::Client& client() const { return deps_.client; }

  /// What the server says of an object that was written: it is not asked for the rest, which would
  /// often be most of what it sends.
  using Stored = meta::v1::PartialObjectMetadata;

  template <typename T>
  Result<Stored> Create(const T& object, const meta::v1::CreateOptions& options = {}) {
    return Store(deps_.client.Brief<T>(),
                 [&](const auto& of) { return of.Create(object, options); });
  }
  template <typename T>
  Result<Stored> Update(const T& object, const meta::v1::UpdateOptions& options = {}) {
    return Store(deps_.client.Brief<T>(),
                 [&](const auto& of) { return of.Update(object, options); });
  }
  template <typename T>
  Result<Stored> UpdateStatus(const T& object, const meta::v1::UpdateOptions& options = {}) {
    return Store(deps_.client.Brief<T>(),
                 [&](const auto& of) { return of.UpdateStatus(object, options); });
  }
  template <typename T>
  Result<Stored> Patch(const api::ObjectKey& key, const client::Patch& patch,
                       const meta::v1::PatchOptions& options = {},
                       std::string_view subresource = {}) {
    return Store(deps_.client.Brief<T>(),
                 [&](const auto& of) { return of.Patch(key, patch, options, subresource); });
  }

  /// Deletes this very object, and no other that has come to be called the same.
  template <typename T>
  Result<> Delete(const T& object, meta::v1::DeleteOptions options = {}) {
    const client::Resource resource = client::Resource::Of<T>();
    const api::ObjectIdentity identity = api::IdentityOf(object);
    return Delete(resource, identity, std::move(options));
  }
  Result<> Delete(const client::Resource& resource, const api::ObjectIdentity& identity,
                  meta::v1::DeleteOptions options = {});

  /// So many of the same, all under way at once. The answers are in no order that means anything:
  /// it is the server who tells objects with a generateName apart.
  template <typename T>
  std::vector<Result<Stored>> CreateAll(const T& object, std::size_t copies) {
    const auto of = deps_.client.Brief<T>();
    std::vector<client::Pending<Stored>> pending;
    pending.reserve(copies);
    for (std::size_t i = 0; i < copies; ++i) pending.push_back(of.Async().Create(object));
    std::vector<Result<Stored>> created;
    created.reserve(copies);
    for (client::Pending<Stored>& answer : pending) {
      created.push_back(Noted(of.resource(), answer.Wait()));
    }
    return created;
  }
  /// Deletes these very objects, all at once; the answers in the order of the objects.
  std::vector<Result<>> DeleteAll(const client::Resource& resource,
                                  std::span<const api::ObjectIdentity> objects);

  // The same for objects of which nothing is known but their resource.
  Result<api::Json> Create(const client::Resource& resource, const api::Json& object);
  Result<api::Json> Update(const client::Resource& resource, const api::Json& object);
  Result<Stored> Patch(const client::Resource& resource, const api::ObjectKey& key,
                       const client::Patch& patch);

  WriteLog& writes() { return writes_; }

 private:
  template <typename ResourceClient, typename Send>
  auto Store(const ResourceClient& of, Send send) {
    return Noted(of.resource(), send(of));
  }
  template <typename T>
  Result<T> Noted(const client::Resource& resource, Result<T> stored) {
    if (stored) {
      writes_.Stored(resource, api::IdentityOf(*stored).resource_version);
    } else {
      writes_.Failed(resource, stored.error());
    }
    return stored;
  }

  client::Pending<void> StartDelete(const client::Resource& resource,
                                    const api::ObjectIdentity& identity,
                                    meta::v1::DeleteOptions options) const;
  Result<> NotedDelete(const client::Resource& resource, const api::ObjectIdentity& identity,
                       Result<> deleted);

  const Deps deps_;
  WriteLog writes_;
};

}  // namespace flyball::runtime

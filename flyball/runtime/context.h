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
#include "flyball/runtime/trace/turn_notes.h"
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

  /// For people who ask later why things are as they are: what was found to be done, and why.
  void Decided(std::string what) { notes_.Decided(std::move(what)); }

  /// What the server says of an object that was written: it is not asked for the rest, which would
  /// often be most of what it sends.
  using Stored = meta::v1::PartialObjectMetadata;

  template <typename T>
  Result<Stored> Create(const T& object, const meta::v1::CreateOptions& options = {}) {
    return Store(Verb::kCreate, deps_.client.Brief<T>(), api::IdentityOf(object).name, {},
                 [&](const auto& of) { return of.Create(object, options); });
  }
  template <typename T>
  Result<Stored> Update(const T& object, const meta::v1::UpdateOptions& options = {}) {
    return Store(Verb::kUpdate, deps_.client.Brief<T>(), api::IdentityOf(object).name, {},
                 [&](const auto& of) { return of.Update(object, options); });
  }
  template <typename T>
  Result<Stored> UpdateStatus(const T& object, const meta::v1::UpdateOptions& options = {}) {
    return Store(Verb::kUpdate, deps_.client.Brief<T>(), api::IdentityOf(object).name, "status",
                 [&](const auto& of) { return of.UpdateStatus(object, options); });
  }
  template <typename T>
  Result<Stored> Patch(const api::ObjectKey& key, const client::Patch& patch,
                       const meta::v1::PatchOptions& options = {},
                       std::string_view subresource = {}) {
    return Store(Verb::kPatch, deps_.client.Brief<T>(), key.name, subresource,
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
    return CreateEach<T>(copies, [&](std::size_t) -> const T& { return object; });  // NOLINT
  }
  /// All of these at once; the answers in their order.
  template <typename T>
  std::vector<Result<Stored>> CreateAll(std::span<const T> objects) {
    return CreateEach<T>(objects.size(), [&](std::size_t i) -> const T& { return objects[i]; });
  }
  /// One patch for each of these, all under way at once; the answers in their order.
  template <typename T>
  std::vector<Result<Stored>> PatchAll(std::span<const api::ObjectKey> keys,
                                       std::span<const client::Patch> patches) {
    const auto of = deps_.client.Brief<T>();
    std::vector<client::Pending<Stored>> pending;
    pending.reserve(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      pending.push_back(of.Async().Patch(keys[i], patches[i]));
    }
    auto patched = WaitForAll(pending);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      patched[i] = Noted(Verb::kPatch, of.resource(), keys[i].name, {}, std::move(patched[i]));
    }
    return patched;
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
  TurnNotes& notes() { return notes_; }

 private:
  using Verb = TracedWrite::Verb;

  /// The last first: when that is there the others mostly are, and nobody was woken for them.
  template <typename T>
  static std::vector<Result<T>> WaitForAll(std::vector<client::Pending<T>>& pending) {
    std::vector<Result<T>> answers(pending.size());
    for (std::size_t i = pending.size(); i-- > 0;) answers[i] = pending[i].Wait();
    return answers;
  }

  template <typename T>
  std::vector<Result<Stored>> CreateEach(std::size_t count, auto object) {
    const auto of = deps_.client.Brief<T>();
    std::vector<client::Pending<Stored>> pending;
    pending.reserve(count);
    for (std::size_t i = 0; i < count; ++i) pending.push_back(of.Async().Create(object(i)));
    auto created = WaitForAll(pending);
    for (Result<Stored>& one : created) {
      one = Noted(Verb::kCreate, of.resource(), {}, {}, std::move(one));
    }
    return created;
  }

  template <typename ResourceClient, typename Send>
  auto Store(Verb verb, const ResourceClient& of, std::string_view name,
             std::string_view subresource, Send send) {
    return Noted(verb, of.resource(), name, subresource, send(of));
  }
  template <typename T>
  Result<T> Noted(Verb verb, const client::Resource& resource, std::string_view name,
                  std::string_view subresource, Result<T> stored) {
    if (stored) {
      const api::ObjectIdentity identity = api::IdentityOf(*stored);
      writes_.Stored(resource, identity.resource_version);
      notes_.Wrote(verb, resource, identity.name, subresource, nullptr);
    } else {
      writes_.Failed(resource, stored.error());
      notes_.Wrote(verb, resource, name, subresource, &stored.error());
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
  TurnNotes notes_;
};

}  // namespace flyball::runtime

#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "flyball/api/json.h"
#include "flyball/api/names.h"
#include "flyball/api/object_identity.h"
#include "flyball/base/clock.h"
#include "flyball/base/logging.h"
#include "flyball/client/client.h"
#include "flyball/runtime/event_recorder.h"
#include "flyball/runtime/generated_name.h"
#include "flyball/runtime/held_objects.h"
#include "flyball/runtime/trace/reconcile_notes.h"
#include "flyball/runtime/trace/trace_report.h"
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
    /// What the controller reads: an object that a cache could not decode is not written to.
    std::span<const ReadCache> reads = {};
    /// The objects that are held in place of the key; null where keys are held.
    const HeldObjects* held = nullptr;
    /// For the names of what has but a generateName. None: the server makes them up.
    const api::RandomBits* random = nullptr;
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

  /// Has the key reconciled again after this time at the latest, whatever becomes of this
  /// reconcile: one that fails keeps its appointment, however long its back-off is. Of several the
  /// first counts. A deadline is told of before the writes that may be refused.
  void RequeueAfter(std::chrono::nanoseconds delay) {
    requeue_after_ = std::min(requeue_after_.value_or(delay), delay);
  }
  /// Takes that back: nothing is left to come.
  void CancelRequeue() { requeue_after_.reset(); }
  std::optional<std::chrono::nanoseconds> requeue_after() const { return requeue_after_; }

  /// For keys that stand for many objects (ReconcileOptions::hold_objects): whether the caches do
  /// not yet show what an earlier reconcile wrote to this one. It is left alone until they do, and
  /// the key is added then.
  bool AwaitsOwnWrite(const client::Resource& resource, const api::ObjectKey& object) {
    if (deps_.held == nullptr || !deps_.held->Contains(resource, object)) return false;
    passed_over_.emplace_back(resource, object);
    return true;
  }
  /// Likewise for such keys: has the key added when the caches show what this reconcile wrote to an
  /// object. Nothing where nothing was written.
  void RequeueWhenShown(const client::Resource& resource, const api::ObjectKey& object) {
    awaited_.emplace_back(resource, object);
  }

  /// For people who ask later why things are as they are: what was found to be done, and why.
  void Decided(std::string what) { notes_.Decided(std::move(what)); }

  /// What the server says of an object that was written: it is not asked for the rest, which would
  /// often be most of what it sends.
  using Stored = meta::v1::PartialObjectMetadata;

  /// An object with a generateName and no name gets one here. A create whose answer was lost is
  /// repeated under that name, by the next reconcile of the key that creates its like, so that it
  /// is done once. In refusals the name is written as the generateName.
  template <typename T>
  Result<Stored> Create(const T& object, const meta::v1::CreateOptions& options = {}) {
    const auto of = deps_.client.ReturningMetadataOnly<T>();
    const auto send = [&](const T& named) { return of.Create(named, options); };
    return CreateOne(of.resource(), object, send);
  }
  template <typename T>
  Result<Stored> Update(const T& object, const meta::v1::UpdateOptions& options = {}) {
    return Store(Verb::kUpdate, deps_.client.ReturningMetadataOnly<T>(), api::IdentityOf(object),
                 {}, [&](const auto& of) -> Result<Stored> {
                   FLYBALL_TRY(CheckReadable(of.resource(), KeyOf(api::IdentityOf(object))));
                   return of.Update(object, options);
                 });
  }
  template <typename T>
  Result<Stored> UpdateStatus(const T& object, const meta::v1::UpdateOptions& options = {}) {
    return Store(Verb::kUpdate, deps_.client.ReturningMetadataOnly<T>(), api::IdentityOf(object),
                 "status", [&](const auto& of) -> Result<Stored> {
                   FLYBALL_TRY(CheckReadable(of.resource(), KeyOf(api::IdentityOf(object))));
                   return of.UpdateStatus(object, options);
                 });
  }
  template <typename T>
  Result<Stored> Patch(const api::ObjectKey& key, const client::Patch& patch,
                       const meta::v1::PatchOptions& options = {},
                       std::string_view subresource = {}) {
    return Store(Verb::kPatch, deps_.client.ReturningMetadataOnly<T>(), IdentityOf(key),
                 subresource, [&](const auto& of) -> Result<Stored> {
                   FLYBALL_TRY(CheckReadable(of.resource(), key, &patch));
                   return of.Patch(key, patch, options, subresource);
                 });
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
    const auto of = deps_.client.ReturningMetadataOnly<T>();
    std::vector<client::Pending<Stored>> pending;
    pending.reserve(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      pending.push_back(of.Async().Patch(keys[i], patches[i]));
    }
    auto patched = WaitForAll(pending);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      patched[i] =
          Noted(Verb::kPatch, of.resource(), IdentityOf(keys[i]), {}, std::move(patched[i]));
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

  /// For writes that are sent without this.
  template <typename T>
  void NoteSent(const client::Resource& resource, const api::ObjectKey& key,
                const Result<T>& stored) {
    if (stored) {
      writes_.Stored(resource, key, api::IdentityOf(*stored).resource_version);
    } else {
      NoteFailed(Verb::kPatch, resource, IdentityOf(key), stored.error());
    }
  }

  /// Names of creates of this key, and of earlier ones, whose fate is not known.
  std::vector<MadeName>& names_in_doubt() { return names_in_doubt_; }
  using Objects = std::vector<std::pair<client::Resource, api::ObjectKey>>;
  /// For which AwaitsOwnWrite() was true.
  const Objects& passed_over() const { return passed_over_; }
  /// Objects of RequeueWhenShown().
  const Objects& awaited() const { return awaited_; }
  WriteLog& writes() { return writes_; }
  ReconcileNotes& notes() { return notes_; }

 private:
  using Verb = TracedWrite::Verb;

  static api::ObjectKey KeyOf(const api::ObjectIdentity& identity) {
    return {std::string(identity.namespace_), std::string(identity.name)};
  }
  static api::ObjectIdentity IdentityOf(const api::ObjectKey& key) {
    return {.namespace_ = key.namespace_, .name = key.name, .uid = {}, .resource_version = {}};
  }
  /// An error where the cache has an object of this name that could not be decoded: what it does
  /// not understand, a write would drop, or contradict. A patch of nothing but metadata may go.
  Result<> CheckReadable(const client::Resource& resource, const api::ObjectKey& key,
                         const client::Patch* patch = nullptr) const;

  /// The last first: when that is there the others mostly are, and nobody was woken for them.
  template <typename T>
  static std::vector<Result<T>> WaitForAll(std::vector<client::Pending<T>>& pending) {
    std::vector<Result<T>> answers(pending.size());
    for (std::size_t i = pending.size(); i-- > 0;) answers[i] = pending[i].Wait();
    return answers;
  }

  template <typename T>
  std::vector<Result<Stored>> CreateEach(std::size_t count, auto object) {
    const auto of = deps_.client.ReturningMetadataOnly<T>();
    const auto send = [&](const T& named) { return of.Create(named); };
    std::vector<client::Pending<Stored>> pending;
    std::vector<MadeName> names;
    pending.reserve(count);
    names.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      const T& wanted = object(i);
      names.push_back(NameFor(of.resource(), wanted));
      const std::string& name = names.back().object.name;
      pending.push_back(of.Async().Create(name.empty() ? wanted : WithName(wanted, name)));
    }
    auto created = WaitForAll(pending);
    for (std::size_t i = 0; i < count; ++i) {
      created[i] = Created(object(i), std::move(names[i]), std::move(created[i]), send);
    }
    return created;
  }

  /// Creates an object, under a name of ours if it has none.
  template <typename T>
  auto CreateOne(const client::Resource& resource, const T& wanted, auto send) {
    MadeName name = NameFor(resource, wanted);
    auto created = send(name.object.name.empty() ? wanted : WithName(wanted, name.object.name));
    return Created(wanted, std::move(name), std::move(created), send);
  }

  /// A name of ours for an object that has but a generateName: one in doubt, if there is any.
  template <typename T>
  MadeName NameFor(const client::Resource& resource, const T& wanted) {
    const std::string stem = deps_.random == nullptr ? std::string() : GenerateNameOf(wanted);
    MadeName name{.resource = resource, .generate_name = stem};
    name.object.namespace_ = api::IdentityOf(wanted).namespace_;
    if (!stem.empty() && !TakeNameInDoubt(name)) {
      name.object.name = api::GenerateName(stem, *deps_.random);
    }
    return name;
  }
  /// Takes a name of the same resource, namespace and generateName, under which there may still
  /// come to be an object. False if there is none.
  bool TakeNameInDoubt(MadeName& name);

  /// Result of a create: noted, and, under a name of ours, found out if it can be. A name that
  /// another's object has is replaced, as the server does.
  template <typename T, typename Answer>
  Result<Answer> Created(const T& wanted, MadeName name, Result<Answer> created, auto send) {
    constexpr int kMostTries = 8;
    api::ObjectIdentity identity = api::IdentityOf(wanted);
    if (name.object.name.empty()) {
      return Noted(Verb::kCreate, name.resource, identity, {}, std::move(created));
    }
    for (int tries = 1; tries <= kMostTries; ++tries) {
      if (created || created.error().code() != ErrorCode::kAlreadyExists) break;
      // Ours if it was in doubt, or a proxy sent it twice.
      auto found = FindOwn(name.resource, name.object, ControllerUidOf(wanted));
      if (found && *found) {
        created = AnswerOf<Answer>(**found);
        break;
      }
      if (tries == kMostTries || deps_.stop.stop_requested()) break;
      name.object.name = api::GenerateName(name.generate_name, *deps_.random);
      name.until = SteadyTime::min();
      created = send(WithName(wanted, name.object.name));
    }
    if (!created) {
      created =
          std::unexpected(WithGenerateName(created.error(), name.object.name, name.generate_name));
    }
    identity.name = name.object.name;
    auto noted = Noted(Verb::kCreate, name.resource, identity, {}, std::move(created));
    if (!noted) KeepIfInDoubt(std::move(name), noted.error());
    return noted;
  }
  /// A refusal says nothing of an earlier try whose answer was lost: a quota, say, that it used up.
  void KeepIfInDoubt(MadeName name, const Error& error);

  /// The object of a name, as a consistent list through the cache's own source has it, if it is
  /// controlled by this owner; nothing if another's. An error if none is shown: the cache may not
  /// select it.
  Result<std::optional<meta::v1::ObjectMeta>> FindOwn(const client::Resource& resource,
                                                      const api::ObjectKey& key,
                                                      std::string_view controller_uid) const;
  template <typename Answer>
  static Result<Answer> AnswerOf(const meta::v1::ObjectMeta& metadata) {
    if constexpr (std::is_same_v<Answer, api::Json>) {
      FLYBALL_TRY(api::Json tree, api::ToJson(metadata));
      return api::Json(api::Json::Object{{"metadata", std::move(tree)}});
    } else {
      Answer answer;
      answer.metadata = metadata;
      return answer;
    }
  }

  template <typename ResourceClient, typename Send>
  auto Store(Verb verb, const ResourceClient& of, const api::ObjectIdentity& written,
             std::string_view subresource, Send send) {
    return Noted(verb, of.resource(), written, subresource, send(of));
  }
  template <typename T>
  Result<T> Noted(Verb verb, const client::Resource& resource, const api::ObjectIdentity& written,
                  std::string_view subresource, Result<T> stored) {
    if (stored) {
      const api::ObjectIdentity identity = api::IdentityOf(*stored);
      writes_.Stored(resource, KeyOf(identity), identity.resource_version);
      notes_.Wrote(verb, resource, identity.name, subresource, nullptr);
    } else {
      NoteFailed(verb, resource, written, stored.error());
      notes_.Wrote(verb, resource, written.name, subresource, &stored.error());
    }
    return stored;
  }
  /// A refusal that says something of the caches goes into the log of writes, too.
  void NoteFailed(Verb verb, const client::Resource& resource, const api::ObjectIdentity& written,
                  const Error& error);

  client::Pending<void> StartDelete(const client::Resource& resource,
                                    const api::ObjectIdentity& identity,
                                    meta::v1::DeleteOptions options) const;
  Result<> NotedDelete(const client::Resource& resource, const api::ObjectIdentity& identity,
                       Result<> deleted);

  const Deps deps_;
  WriteLog writes_;
  ReconcileNotes notes_;
  std::optional<std::chrono::nanoseconds> requeue_after_;
  std::vector<MadeName> names_in_doubt_;
  Objects passed_over_;
  Objects awaited_;
};

}  // namespace flyball::runtime

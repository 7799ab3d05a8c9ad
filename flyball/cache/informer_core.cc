#include "flyball/cache/informer_core.h"

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>

#include "flyball/api/resource_version.h"
#include "flyball/base/check.h"
#include "flyball/cache/object_accessor.h"
#include "flyball/client/unreadable.h"

namespace flyball::cache {
namespace {

using std::chrono::nanoseconds;

/// What is left of an object of which only names are kept: its texts in one block, with a zero
/// behind each. As four strings they would take twice the memory.
class KeyOnlyObject {
 public:
  explicit KeyOnlyObject(const api::ObjectIdentity& identity) {
    const std::array<std::string_view, 4> texts = {identity.namespace_, identity.name, identity.uid,
                                                   identity.resource_version};
    std::size_t size = texts.size();
    for (const std::string_view text : texts) size += text.size();
    texts_ = std::make_unique_for_overwrite<char[]>(size);
    char* end = texts_.get();
    for (const std::string_view text : texts) {
      end += text.copy(end, text.size());
      *end++ = '\0';
    }
  }
  api::ObjectIdentity identity() const {
    const std::string_view space = texts_.get();
    const std::string_view name = Behind(space);
    const std::string_view uid = Behind(name);
    return {space, name, uid, Behind(uid)};
  }

 private:
  static std::string_view Behind(std::string_view text) { return text.data() + text.size() + 1; }

  std::unique_ptr<char[]> texts_;
};

class KeyOnlyAccessor final : public ObjectAccessor {
 public:
  api::ObjectIdentity IdentityOf(const void* object) const override {
    return static_cast<const KeyOnlyObject*>(object)->identity();
  }
  ObjectName NameOf(const void* object) const override {
    const api::ObjectIdentity identity = IdentityOf(object);
    return {identity.namespace_, identity.name};
  }
  std::shared_ptr<const meta::v1::PartialObjectMetadata> MetadataOf(const Object&) const override {
    return nullptr;
  }
  bool HasOwners() const override { return false; }
  bool SameOwnership(const void*, const void*) const override { return false; }
  Object KeyOnly(const api::ObjectIdentity& identity) const override {
    return std::make_shared<KeyOnlyObject>(identity);
  }

  static const KeyOnlyAccessor& Get() {
    static const KeyOnlyAccessor accessor;
    return accessor;
  }
};

auto FindNamed(auto& snapshot, const api::ObjectKey& key) {
  return std::ranges::find_if(snapshot.objects, [&](const meta::v1::ObjectMeta& object) {
    return object.name == key.name && object.namespace_ == key.namespace_;
  });
}

}  // namespace

/// Outlives the informer where a handler does.
struct InformerCore::SyncSignal {
  Mutex mutex;
  CondVar changed;
  std::uint64_t changes FLYBALL_GUARDED_BY(mutex) = 0;

  void Notify() {
    {
      const MutexLock lock(mutex);
      ++changes;
    }
    changed.NotifyAll();
  }
};

class InformerCore::Member final : public Registration {
 public:
  Member(std::shared_ptr<InformerCore> informer, std::shared_ptr<Listener> listener,
         std::chrono::nanoseconds resync)
      : informer_(std::move(informer)), listener_(std::move(listener)) {
    if (resync.count() <= 0) return;
    timer_.emplace(informer_->deps_.timers, [this, resync] {
      informer_->Resync(listener_);
      timer_->FireBy(informer_->deps_.timers.clock().DeadlineAfter(resync));
    });
    timer_->FireBy(informer_->deps_.timers.clock().DeadlineAfter(resync));
  }
  ~Member() override {
    timer_.reset();
    informer_->Leave(listener_);
  }

  bool HasSynced() const override { return listener_->synced(); }
  std::size_t behind() const override { return listener_->behind(); }

 private:
  const std::shared_ptr<InformerCore> informer_;
  const std::shared_ptr<Listener> listener_;
  std::optional<Timer> timer_;
};

InformerCore::InformerCore(std::unique_ptr<ObjectSource> source, Reflector::Deps deps,
                           Options options)
    : name_(options.reflector.name),
      deps_(std::move(deps)),
      keep_(options.keep),
      transform_(std::move(options.transform)),
      metrics_(std::move(options.metrics)),
      accessor_(source->accessor()),
      stored_accessor_(keep_ == Keep::kObjects ? accessor_ : KeyOnlyAccessor::Get()),
      store_(stored_accessor_),
      reflector_(std::make_shared<Reflector>(std::move(source), static_cast<ReflectorSink&>(*this),
                                             deps_, std::move(options.reflector))),
      sync_(std::make_shared<SyncSignal>()),
      dispatcher_(std::make_shared<Dispatcher>(deps_.executor, deps_.timers, name_)),
      queued_(metrics_.ShowQueued([this] {
        MutexLock lock(mutex_);
        std::size_t queued = 0;
        for (const auto& listener : listeners_) queued += listener->behind();
        return static_cast<double>(queued);
      })) {
  FLYBALL_CHECK(keep_ == Keep::kObjects || accessor_.KeyOnly({}) != nullptr,
                name_ + ": views are kept whole or not at all");
}

InformerCore::~InformerCore() { Stop(); }

ObjectStore& InformerCore::store() {
  FLYBALL_CHECK(keep_ == Keep::kObjects, name_ + ": keeps names only");
  return store_;
}

void InformerCore::Start() { reflector_->Start(); }

void InformerCore::Stop() {
  reflector_->Stop();
  std::vector<std::shared_ptr<Listener>> listeners;
  {
    MutexLock lock(mutex_);
    stopped_ = true;
    listeners.swap(listeners_);
  }
  for (const auto& listener : listeners) listener->Stop();
  dispatcher_->Stop();
}

std::unique_ptr<Registration> InformerCore::AddHandler(std::string name, DeltaHandler handler,
                                                       HandlerOptions options) {
  auto listener = Listener::Make(
      options.delivery, std::move(name), std::move(handler),
      {deps_.executor, accessor_, deps_.log, dispatcher_, [sync = sync_] { sync->Notify(); }});
  {
    MutexLock lock(mutex_);
    if (!stopped_) {
      Replay(*listener);
      listeners_.push_back(listener);
    }
  }
  return std::make_unique<Member>(shared_from_this(), std::move(listener), options.resync);
}

/// One who joins late is told of what is there as the others were.
void InformerCore::Replay(Listener& listener) {
  if (!filled_) return;
  FLYBALL_CHECK(keep_ == Keep::kObjects,
                name_ + ": keeps names only, which cannot be told to a handler that comes late");
  for (Object& object : store_.List()) {
    listener.Notify({.kind = Delta::Kind::kAdded, .now = std::move(object), .initial = true});
  }
  listener.Notify({.kind = Delta::Kind::kInitialEnd});
}

void InformerCore::Resync(const std::shared_ptr<Listener>& listener) {
  MutexLock lock(mutex_);
  if (keep_ != Keep::kObjects || std::ranges::find(listeners_, listener) == listeners_.end())
    return;
  for (const Object& object : store_.List()) {
    listener->Notify({.kind = Delta::Kind::kUpdated, .old = object, .now = object});
  }
}

void InformerCore::Leave(const std::shared_ptr<Listener>& listener) {
  {
    MutexLock lock(mutex_);
    std::erase(listeners_, listener);
  }
  listener->Stop();
}

void InformerCore::Distribute(const Delta& delta) {
  for (const auto& listener : listeners_) listener->Notify(delta);
}

void InformerCore::UpsertAndDistribute(Object object, bool initial) {
  const api::ObjectIdentity identity = accessor_.IdentityOf(object.get());
  Object kept = object;
  if (keep_ == Keep::kNames) {
    kept = KeyOnlyAccessor::Get().KeyOnly(identity);
    if (const std::string* const reason = client::UnreadableReason(object)) {
      kept = client::MarkUnreadable(std::move(kept), *reason);
    }
  }
  const Object old = store_.Put(kept);
  NoteReadable(old, kept);
  if (old) {
    const api::ObjectIdentity before = stored_accessor_.IdentityOf(old.get());
    if (before.uid == identity.uid) {
      return Distribute({.kind = Delta::Kind::kUpdated,
                         .old = keep_ == Keep::kObjects ? old : nullptr,
                         .now = std::move(object)});
    }
    // Another object under the same name: that one's end was not seen.
    Distribute({.kind = Delta::Kind::kDeleted,
                .old = keep_ == Keep::kObjects ? old : accessor_.KeyOnly(before),
                .final_state_unknown = true});
  }
  Distribute({.kind = Delta::Kind::kAdded, .now = std::move(object), .initial = initial});
}

// DIVERGES: upstream's handlers get the object of the delete event. Here they get the one that they
// were last told of: what a handler has counted or indexed by an object's labels, owners or volumes
// it finds again only by the same ones. kube-apiserver sends the last stored state, which is that
// one but for its resourceVersion; other servers may send one that no watch has shown.
void InformerCore::RemoveAndDistribute(const api::ObjectIdentity& identity, Object event_object,
                                       bool final_state_unknown) {
  const Object removed = store_.Remove(identity.namespace_, identity.name);
  if (!removed) return;
  NoteReadable(removed, nullptr);
  Object last = std::move(event_object);
  if (keep_ == Keep::kObjects) last = removed;
  Distribute({.kind = Delta::Kind::kDeleted,
              .old = std::move(last),
              .final_state_unknown = final_state_unknown});
}

void InformerCore::NoteReadable(const Object& before, const Object& now) {
  const bool was_readable = client::IsReadable(before);
  const std::string* const reason = client::UnreadableReason(now);
  if (was_readable == (reason == nullptr)) return;
  unreadable_ += was_readable ? 1 : -1;
  metrics_.Unreadable(unreadable_);
  if (!now) return;
  const ObjectName name = stored_accessor_.NameOf(now.get());
  const LogObject object{name.first, name.second};
  if (reason == nullptr) {
    deps_.log.Info("Object can be decoded again", {{"resource", name_}, {"object", object}});
  } else {
    deps_.log.Error({ErrorCode::kMalformed, *reason},
                    "Unable to decode object, only its metadata is known",
                    {{"resource", name_}, {"object", object}});
  }
}

void InformerCore::Processed(SteadyTime since) const {
  const nanoseconds took = deps_.executor.clock().SteadyNow() - since;
  metrics_.Processed(std::chrono::duration<double>(took).count());
}

void InformerCore::OnPut(Object object) {
  const SteadyTime start = deps_.executor.clock().SteadyNow();
  if (transform_ && client::IsReadable(object)) object = transform_(std::move(object));
  MutexLock lock(mutex_);
  std::string version(accessor_.IdentityOf(object.get()).resource_version);
  UpsertAndDistribute(std::move(object), false);
  Reached(std::move(version), false);
  Processed(start);
}

void InformerCore::OnDelete(Object object) {
  const SteadyTime start = deps_.executor.clock().SteadyNow();
  if (transform_ && client::IsReadable(object)) object = transform_(std::move(object));
  MutexLock lock(mutex_);
  const api::ObjectIdentity identity = accessor_.IdentityOf(object.get());
  std::string version(identity.resource_version);
  RemoveAndDistribute(identity, object, false);
  Reached(std::move(version), false);
  Processed(start);
}

void InformerCore::OnProgress(std::string resource_version) {
  MutexLock lock(mutex_);
  Reached(std::move(resource_version), false);
}

void InformerCore::OnReplace(std::vector<Object> objects, std::string resource_version) {
  const SteadyTime start = deps_.executor.clock().SteadyNow();
  if (transform_) {
    for (Object& object : objects) {
      if (client::IsReadable(object)) object = transform_(std::move(object));
    }
  }
  MutexLock lock(mutex_);
  RemoveAllBut(objects);
  for (Object& object : objects) {
    // DIVERGES: upstream tells its handlers of every object again; nothing has changed for them.
    const api::ObjectIdentity identity = accessor_.IdentityOf(object.get());
    const Object old = store_.Get(identity.namespace_, identity.name);
    const bool same =
        old && stored_accessor_.IdentityOf(old.get()).uid == identity.uid &&
        stored_accessor_.IdentityOf(old.get()).resource_version == identity.resource_version;
    if (!same) UpsertAndDistribute(std::move(object), !filled_);
  }
  Reached(std::move(resource_version), true);
  Processed(start);
  if (!std::exchange(filled_, true)) {
    {
      MutexLock state_lock(state_mutex_);
      state_.synced = true;
    }
    Distribute({.kind = Delta::Kind::kInitialEnd});
    sync_->Notify();
  }
}

void InformerCore::RemoveAllBut(const std::vector<Object>& objects) {
  if (store_.size() == 0) return;
  std::unordered_set<api::ObjectKey> names;
  for (const Object& object : objects) {
    const api::ObjectIdentity identity = accessor_.IdentityOf(object.get());
    names.insert({std::string(identity.namespace_), std::string(identity.name)});
  }
  for (const Object& kept : store_.List()) {
    const api::ObjectIdentity identity = stored_accessor_.IdentityOf(kept.get());
    if (names.contains({std::string(identity.namespace_), std::string(identity.name)})) continue;
    RemoveAndDistribute(identity, keep_ == Keep::kObjects ? nullptr : accessor_.KeyOnly(identity),
                        true);
  }
}

void InformerCore::Reached(std::string resource_version, bool replaced) {
  for (const auto& progress : progress_) progress(resource_version, replaced);
  metrics_.Reached(resource_version);
  MutexLock lock(state_mutex_);
  resource_version_ = std::move(resource_version);
}

std::string InformerCore::OnProgress(std::function<void(const std::string&, bool)> progress) {
  MutexLock lock(mutex_);
  progress_.push_back(std::move(progress));
  return resource_version();
}

Result<std::string> InformerCore::AskVersion(std::stop_token stop) const {
  FLYBALL_TRY(Snapshot now, reflector_->Ask({}, std::move(stop)));
  return std::move(now.resource_version);
}

Result<std::optional<meta::v1::ObjectMeta>> InformerCore::AskFor(const api::ObjectKey& key,
                                                                 std::stop_token stop) const {
  FLYBALL_TRY(Snapshot now, reflector_->Ask(key, std::move(stop)));
  const auto there = FindNamed(now, key);
  if (there == now.objects.end()) return std::nullopt;
  return std::move(*there);
}

Result<bool> InformerCore::AskWhetherShown(const api::ObjectKey& key, std::stop_token stop) const {
  FLYBALL_TRY(const Snapshot now, reflector_->Ask(key, std::move(stop)));
  const auto there = FindNamed(now, key);
  const auto is_before_now = [&](const std::string& version) {
    return api::CompareResourceVersions(version, now.resource_version) ==
           std::strong_ordering::less;
  };
  if (!is_before_now(resource_version())) return true;
  const std::optional<Shown> shown = Find(key);
  if (!shown) return there == now.objects.end();
  if (there != now.objects.end() && shown->uid == there->uid &&
      shown->resource_version == there->resourceVersion) {
    return true;
  }
  return !is_before_now(shown->resource_version);
}

std::optional<InformerCore::Shown> InformerCore::Find(const api::ObjectKey& key) const {
  const Object object = store_.Get(key.namespace_, key.name);
  if (!object) return std::nullopt;
  const api::ObjectIdentity identity = stored_accessor_.IdentityOf(object.get());
  Shown shown{std::string(identity.uid), std::string(identity.resource_version)};
  if (const auto metadata = stored_accessor_.MetadataOf(object)) {
    shown.terminating = metadata->metadata.deletionTimestamp.has_value();
  }
  return shown;
}

std::string InformerCore::resource_version() const {
  MutexLock lock(state_mutex_);
  return resource_version_;
}

/// The log has what changes, not what is still so.
void InformerCore::OnState(const std::optional<Error>& problem) {
  std::optional<Error> before;
  {
    MutexLock lock(state_mutex_);
    before = std::exchange(state_.problem, problem);
  }
  if (problem && (!before || before->code() != problem->code())) {
    deps_.log.Error(*problem, "Failed to watch", {{"resource", name_}});
  } else if (!problem && before) {
    deps_.log.Info("Resumed watching", {{"resource", name_}});
  }
}

SyncState InformerCore::state() const {
  MutexLock lock(state_mutex_);
  return state_;
}

bool InformerCore::HasSynced() const {
  MutexLock lock(mutex_);
  return filled_ &&
         std::ranges::all_of(listeners_, [](const auto& listener) { return listener->synced(); });
}

bool InformerCore::WaitForSync(const std::stop_token& stop) const {
  SyncSignal& sync = *sync_;
  const std::stop_callback on_stop(stop, [&] { sync.Notify(); });
  for (std::uint64_t seen = 0;;) {
    if (HasSynced()) return true;
    if (stop.stop_requested()) return false;
    MutexLock lock(sync.mutex);
    deps_.executor.clock().Wait(lock, sync.changed,
                                [&]() FLYBALL_REQUIRES(sync.mutex) { return sync.changes > seen; });
    seen = sync.changes;
  }
}

}  // namespace flyball::cache

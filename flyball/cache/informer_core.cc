#include "flyball/cache/informer_core.h"

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>

#include "flyball/base/check.h"
#include "flyball/cache/object_form.h"

namespace flyball::cache {
namespace {

using std::chrono::nanoseconds;

/// What is left of an object of which only names are kept: its texts in one block, with a zero
/// behind each. As four strings they would take twice the memory.
class NamedObject {
 public:
  explicit NamedObject(const api::ObjectIdentity& identity) {
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

class NamedForm final : public ObjectForm {
 public:
  api::ObjectIdentity IdentityOf(const void* object) const override {
    return static_cast<const NamedObject*>(object)->identity();
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
  Object Named(const api::ObjectIdentity& identity) const override {
    return std::make_shared<NamedObject>(identity);
  }

  static const NamedForm& Get() {
    static const NamedForm form;
    return form;
  }
};

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
      form_(source->form()),
      kept_form_(keep_ == Keep::kObjects ? form_ : NamedForm::Get()),
      store_(kept_form_),
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
  FLYBALL_CHECK(keep_ == Keep::kObjects || form_.Named({}) != nullptr,
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
      {deps_.executor, form_, deps_.log, dispatcher_, [sync = sync_] { sync->Notify(); }});
  {
    MutexLock lock(mutex_);
    if (!stopped_) {
      TellAll(*listener);
      listeners_.push_back(listener);
    }
  }
  return std::make_unique<Member>(shared_from_this(), std::move(listener), options.resync);
}

/// One who joins late is told of what is there as the others were.
void InformerCore::TellAll(Listener& listener) {
  if (!filled_) return;
  FLYBALL_CHECK(keep_ == Keep::kObjects,
                name_ + ": keeps names only, which cannot be told to a handler that comes late");
  for (Object& object : store_.List()) {
    listener.Tell({.kind = Delta::Kind::kAdded, .now = std::move(object), .initial = true});
  }
  listener.Tell({.kind = Delta::Kind::kInitialEnd});
}

void InformerCore::Resync(const std::shared_ptr<Listener>& listener) {
  MutexLock lock(mutex_);
  if (keep_ != Keep::kObjects || std::ranges::find(listeners_, listener) == listeners_.end())
    return;
  for (const Object& object : store_.List()) {
    listener->Tell({.kind = Delta::Kind::kUpdated, .old = object, .now = object});
  }
}

void InformerCore::Leave(const std::shared_ptr<Listener>& listener) {
  {
    MutexLock lock(mutex_);
    std::erase(listeners_, listener);
  }
  listener->Stop();
}

void InformerCore::Tell(const Delta& delta) {
  for (const auto& listener : listeners_) listener->Tell(delta);
}

void InformerCore::PutAndTell(Object object, bool initial) {
  const api::ObjectIdentity identity = form_.IdentityOf(object.get());
  Object kept = keep_ == Keep::kObjects ? object : NamedForm::Get().Named(identity);
  const Object old = store_.Put(kept);
  if (old) {
    const api::ObjectIdentity before = kept_form_.IdentityOf(old.get());
    if (before.uid == identity.uid) {
      return Tell({.kind = Delta::Kind::kUpdated,
                   .old = keep_ == Keep::kObjects ? old : nullptr,
                   .now = std::move(object)});
    }
    // Another object under the same name: that one's end was not seen.
    Tell({.kind = Delta::Kind::kDeleted,
          .old = keep_ == Keep::kObjects ? old : form_.Named(before),
          .assumed = true});
  }
  Tell({.kind = Delta::Kind::kAdded, .now = std::move(object), .initial = initial});
}

void InformerCore::RemoveAndTell(const api::ObjectIdentity& identity, Object last, bool assumed) {
  if (!store_.Remove(identity.namespace_, identity.name)) return;
  Tell({.kind = Delta::Kind::kDeleted, .old = std::move(last), .assumed = assumed});
}

void InformerCore::Processed(SteadyTime since) const {
  const nanoseconds took = deps_.executor.clock().SteadyNow() - since;
  metrics_.Processed(std::chrono::duration<double>(took).count());
}

void InformerCore::OnPut(Object object) {
  const SteadyTime start = deps_.executor.clock().SteadyNow();
  if (transform_) object = transform_(std::move(object));
  MutexLock lock(mutex_);
  std::string version(form_.IdentityOf(object.get()).resource_version);
  PutAndTell(std::move(object), false);
  Reached(std::move(version), false);
  Processed(start);
}

void InformerCore::OnDelete(Object object) {
  const SteadyTime start = deps_.executor.clock().SteadyNow();
  if (transform_) object = transform_(std::move(object));
  MutexLock lock(mutex_);
  const api::ObjectIdentity identity = form_.IdentityOf(object.get());
  std::string version(identity.resource_version);
  RemoveAndTell(identity, object, false);
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
    for (Object& object : objects) object = transform_(std::move(object));
  }
  MutexLock lock(mutex_);
  RemoveAllBut(objects);
  for (Object& object : objects) {
    // DIVERGES: upstream tells its handlers of every object again; nothing has changed for them.
    const api::ObjectIdentity identity = form_.IdentityOf(object.get());
    const Object old = store_.Get(identity.namespace_, identity.name);
    const bool same =
        old && kept_form_.IdentityOf(old.get()).uid == identity.uid &&
        kept_form_.IdentityOf(old.get()).resource_version == identity.resource_version;
    if (!same) PutAndTell(std::move(object), !filled_);
  }
  Reached(std::move(resource_version), true);
  Processed(start);
  if (!std::exchange(filled_, true)) {
    {
      MutexLock state_lock(state_mutex_);
      state_.synced = true;
    }
    Tell({.kind = Delta::Kind::kInitialEnd});
    sync_->Notify();
  }
}

void InformerCore::RemoveAllBut(const std::vector<Object>& objects) {
  if (store_.size() == 0) return;
  std::unordered_set<api::ObjectKey> names;
  for (const Object& object : objects) {
    const api::ObjectIdentity identity = form_.IdentityOf(object.get());
    names.insert({std::string(identity.namespace_), std::string(identity.name)});
  }
  for (const Object& kept : store_.List()) {
    const api::ObjectIdentity identity = kept_form_.IdentityOf(kept.get());
    if (names.contains({std::string(identity.namespace_), std::string(identity.name)})) continue;
    RemoveAndTell(identity, keep_ == Keep::kObjects ? kept : form_.Named(identity), true);
  }
}

void InformerCore::Reached(std::string resource_version, bool replaced) {
  for (const auto& progress : progress_) progress(resource_version, replaced);
  metrics_.Reached(resource_version);
  MutexLock lock(state_mutex_);
  resource_version_ = std::move(resource_version);
}

void InformerCore::OnProgress(std::function<void(const std::string&, bool)> progress) {
  MutexLock lock(mutex_);
  progress_.push_back(std::move(progress));
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
    deps_.log.Error(*problem, "Cannot keep a cache up to date", {{"resource", name_}});
  } else if (!problem && before) {
    deps_.log.Info("The cache is being kept up to date again", {{"resource", name_}});
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

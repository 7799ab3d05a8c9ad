#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/base/mutex.h"
#include "flyball/base/timers.h"
#include "flyball/cache/informer_metrics.h"
#include "flyball/cache/listener.h"
#include "flyball/cache/reflector.h"
#include "flyball/cache/store.h"

namespace flyball::cache {

/// What an informer remembers of the objects it has told of.
enum class Keep : std::uint8_t {
  kObjects,
  /// Which there are, so that it notices what disappears unseen; an update then comes without what
  /// was there before, and a deletion that nobody saw with nothing but the object's names. For
  /// those who keep what they need themselves: garbage collection, quota. Not for views.
  kNames,
};

/// How far a cache is, and why it is no further.
struct SyncState {
  bool synced = false;           ///< it has had all objects once
  std::optional<Error> problem;  ///< what keeps it from being up to date, at the moment
};

/// A handler's place among those of an informer; ends with this.
class Registration {
 public:
  virtual ~Registration() = default;
  /// Whether the handler has been called for all that was there at the start.
  virtual bool HasSynced() const = 0;
  /// How many changes it has yet to be called for.
  virtual std::size_t behind() const = 0;
};

struct HandlerOptions {
  Delivery delivery = Delivery::kAsync;
  /// How often the handler is called for every object, changed or not; zero: never.
  std::chrono::nanoseconds resync = {};
};

/// A cache of one collection that tells of its changes: what is behind every Informer<T>.
///
///   Reflector -> store and indexes -> listeners
///
/// Any thread, unless said otherwise.
class InformerCore final : public std::enable_shared_from_this<InformerCore>,
                           private ReflectorSink {
 public:
  struct Options {
    Reflector::Options reflector;
    Keep keep = Keep::kObjects;
    /// Makes of each object what is kept and told of it.
    std::function<Object(Object)> transform = nullptr;
    InformerMetrics metrics = {};
  };

  InformerCore(std::unique_ptr<ObjectSource> source, Reflector::Deps deps, Options options);
  ~InformerCore() override;

  /// Once.
  void Start();
  /// Returns when no handler is called any more. Not from within one.
  void Stop();

  Keep keep() const { return keep_; }

  /// What it holds. Only where it keeps objects: names are nothing to look at.
  ObjectStore& store();
  std::size_t size() const { return store_.size(); }
  const ObjectAccessor& accessor() const { return accessor_; }
  const std::string& name() const { return name_; }

  /// At any time: what is there already comes as additions. `name` is for logs.
  std::unique_ptr<Registration> AddHandler(std::string name, DeltaHandler handler,
                                           HandlerOptions options);

  /// Has `progress` called, inline, when the cache has got to another version. True if all was read
  /// anew: then the version may be a lower one. Returns what it has got to already: of everything
  /// after that `progress` is told.
  std::string OnProgress(std::function<void(const std::string& version, bool replaced)> progress);
  /// What the cache has got to; empty before it has been filled.
  std::string resource_version() const;

  /// The version of the collection on the server, now. It is asked as the cache reads: as the same
  /// identity, of the same namespace, with the same selectors. Blocks; not for the network's
  /// thread.
  Result<std::string> AskVersion(std::stop_token stop) const;
  /// Whether the cache shows of an object what the server has of it now, or something later. An
  /// object that the cache does not select is neither here nor there.
  Result<bool> AskWhetherShown(const api::ObjectKey& key, std::stop_token stop) const;
  /// An object as the server has it now, if it is one that the cache selects.
  Result<std::optional<meta::v1::ObjectMeta>> AskFor(const api::ObjectKey& key,
                                                     std::stop_token stop) const;
  /// Uid and version of an object that the cache shows; nothing if it shows none.
  struct Shown {
    std::string uid;
    std::string resource_version;
    bool terminating = false;  ///< as far as the cache knows that
  };
  std::optional<Shown> Find(const api::ObjectKey& key) const;

  SyncState state() const;
  /// Blocks until the store has been filled and every handler called for what was there; false if a
  /// stop came first.
  bool WaitForSync(const std::stop_token& stop) const;
  bool HasSynced() const;

 private:
  class Member;
  struct SyncSignal;

  void OnReplace(std::vector<Object> objects, std::string resource_version) override;
  void OnPut(Object object) override;
  void OnDelete(Object object) override;
  void OnProgress(std::string resource_version) override;
  void OnState(const std::optional<Error>& problem) override;

  void UpsertAndDistribute(Object object, bool initial) FLYBALL_REQUIRES(mutex_);
  /// Takes notice of an object that cannot be decoded any more, or again; null: it is not there.
  void NoteReadable(const Object& before, const Object& now) FLYBALL_REQUIRES(mutex_);
  /// `event_object` is for handlers where only names are kept.
  void RemoveAndDistribute(const api::ObjectIdentity& identity, Object event_object,
                           bool final_state_unknown) FLYBALL_REQUIRES(mutex_);
  void RemoveAllBut(const std::vector<Object>& objects) FLYBALL_REQUIRES(mutex_);
  void Distribute(const Delta& delta) FLYBALL_REQUIRES(mutex_);
  void Processed(SteadyTime since) const;
  void Reached(std::string resource_version, bool replaced) FLYBALL_REQUIRES(mutex_);
  void Replay(Listener& listener) FLYBALL_REQUIRES(mutex_);
  void Resync(const std::shared_ptr<Listener>& listener);
  void Leave(const std::shared_ptr<Listener>& listener);

  const std::string name_;
  const Reflector::Deps deps_;
  const Keep keep_;
  const std::function<Object(Object)> transform_;
  const InformerMetrics metrics_;
  const ObjectAccessor& accessor_;
  const ObjectAccessor& stored_accessor_;  // of what is in the store
  ObjectStore store_;
  const std::shared_ptr<Reflector> reflector_;
  const std::shared_ptr<SyncSignal> sync_;
  const std::shared_ptr<Dispatcher> dispatcher_;

  /// Held while a change goes into the store and out to the listeners, so that all see the same
  /// order, and one who joins misses none.
  mutable Mutex mutex_;
  std::vector<std::shared_ptr<Listener>> listeners_ FLYBALL_GUARDED_BY(mutex_);
  std::vector<std::function<void(const std::string&, bool)>> progress_ FLYBALL_GUARDED_BY(mutex_);
  bool filled_ FLYBALL_GUARDED_BY(mutex_) = false;
  std::size_t unreadable_ FLYBALL_GUARDED_BY(mutex_) = 0;  // of what the store holds
  bool stopped_ FLYBALL_GUARDED_BY(mutex_) = false;

  /// Of what is asked for by those who may be called with the other one held.
  mutable Mutex state_mutex_;
  std::string resource_version_ FLYBALL_GUARDED_BY(state_mutex_);
  SyncState state_ FLYBALL_GUARDED_BY(state_mutex_);

  const GaugeCallback queued_;  // ends before what it counts
};

}  // namespace flyball::cache

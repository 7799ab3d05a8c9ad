#pragma once

#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <tuple>
#include <typeinfo>
#include <utility>
#include <vector>

#include "flyball/base/mutex.h"
#include "flyball/cache/informer.h"
#include "flyball/cache/reader_source.h"
#include "flyball/client/client.h"

namespace flyball::cache {

/// Which objects of a resource, and what to keep of them.
struct InformerOptions {
  std::string namespace_ = {};  ///< empty: all
  std::string label_selector = {};
  std::string field_selector = {};  ///< "metadata.name=kube-root-ca.crt"
  Keep keep = Keep::kObjects;
  /// Changes may come a second late, many at once: for what changes all the time and is looked at
  /// now and then, as nodes' leases. Who cannot wait and asks without it gets a watch of its own.
  bool allow_batching = false;
};

/// The metadata of all objects of a resource. Where something else is read of them anyway, it comes
/// from there: no second watch is made for it. A light handle; any thread.
class MetadataInformer {
 public:
  using Metadata = meta::v1::PartialObjectMetadata;

  explicit MetadataInformer(std::shared_ptr<InformerCore> core) : core_(std::move(core)) {}

  Ref<Metadata> Get(const api::ObjectKey& key) const;
  [[nodiscard]] std::unique_ptr<Registration> AddHandler(std::string name,
                                                         EventHandler<Metadata> handler,
                                                         HandlerOptions options = {}) const;
  bool HasSynced() const { return core_->HasSynced(); }
  SyncState state() const { return core_->state(); }
  const std::shared_ptr<InformerCore>& core() const { return core_; }

 private:
  std::shared_ptr<InformerCore> core_;
};

/// One who is told of all objects of a resource, and keeps of them what it needs itself. Both are
/// called inline: see Delivery::kInline.
struct Follower {
  std::string name;  ///< for logs
  std::function<void(const meta::v1::ObjectMeta& now)> stored;
  /// Where nobody saw it go, names are all that is known.
  std::function<void(const api::ObjectIdentity& last)> deleted;
};

/// The caches of a process: one for each collection, whoever asks for it.
///
///   InformerFactory informers({...});
///   const auto pods = informers.Of<views::Pod>();
///   const auto watching = pods.AddHandler("web", {.added = ...});
///   informers.Start();
///   informers.WaitForSync(stop);
///
/// Any thread.
class InformerFactory {
 public:
  struct Deps {
    client::Client client;
    Executor& executor;
    Timers& timers;
    std::function<double()> random;  ///< between 0 and 1
    Logger log = {};
    MetricRegistry* metrics = nullptr;
    std::string name = {};  ///< of the program, as its metrics have it
  };

  explicit InformerFactory(Deps deps) : deps_(std::move(deps)) {}
  /// Stops.
  ~InformerFactory();

  /// Objects of a generated kind, or of a view.
  template <typename T>
  Informer<T> Of(const InformerOptions& options = {}) {
    return Informer<T>(
        Find<T>(client::Resource::Of<T>(), options, [this] { return deps_.client.Reader<T>(); }));
  }
  /// Objects of any resource, as JSON.
  Informer<api::Json> Dynamic(const client::Resource& resource,
                              const InformerOptions& options = {}) {
    return Informer<api::Json>(
        Find<api::Json>(resource, options, [&] { return deps_.client.DynamicReader(resource); }));
  }
  /// The metadata of a resource's objects. Asked for after all else, it comes for free where
  /// something else of them is read; what is asked for first gets a watch of its own.
  MetadataInformer Metadata(const client::Resource& resource, const InformerOptions& options = {});

  /// Tells somebody of a resource's objects, until the registration ends. Comes for free where
  /// something is read of them; else it is their metadata that is read, and only names are kept.
  /// For one at a time, there: who comes later could not be told of what there is already.
  struct Following {
    std::shared_ptr<InformerCore> source;
    std::unique_ptr<Registration> registration = nullptr;
  };
  Following Follow(const client::Resource& resource, const Follower& follower);
  /// Ends what is read of a resource for a follower alone, as when its kind is gone.
  void Unfollow(const client::Resource& resource);

  /// Starts those that have been asked for; those that come later start at once.
  void Start();
  /// Blocks until all are filled and their handlers have been told; false if a stop came first.
  bool WaitForSync(const std::stop_token& stop);
  /// Ends all. Returns when no handler is called any more.
  void Stop();
  /// Ends what is read of one resource, as when its kind is gone. Who asks again starts anew.
  void Forget(const client::Resource& resource);

  /// As whom all of this is read.
  const client::Client& client() const { return deps_.client; }

  struct Status {
    std::string name;  ///< "deployments.apps"
    SyncState state;
    std::string resource_version;
    std::size_t objects;
  };
  /// Of each, for health checks and people.
  std::vector<Status> Statuses() const;

 private:
  /// What makes two who ask get the same: resource, namespace, selectors, what is kept, form, and
  /// whether it may come late.
  using Id =
      std::tuple<std::string, std::string, std::string, std::string, Keep, std::string, bool>;

  template <typename T, typename MakeReader>
  std::shared_ptr<InformerCore> Find(const client::Resource& resource,
                                     const InformerOptions& options, MakeReader make_reader) {
    return Find(IdOf(resource, options, typeid(T).name()), resource, options, [&] {
      return std::make_unique<ReaderSource<T>>(make_reader(), options.namespace_,
                                               options.allow_batching);
    });
  }
  using MakeSource = std::function<std::unique_ptr<ObjectSource>()>;
  std::shared_ptr<InformerCore> Add(Id id, const client::Resource& resource,
                                    const InformerOptions& options, const MakeSource& make_source)
      FLYBALL_REQUIRES(mutex_);
  std::shared_ptr<InformerCore> Find(Id id, const client::Resource& resource,
                                     const InformerOptions& options, const MakeSource& make_source);
  static Id IdOf(const client::Resource& resource, const InformerOptions& options,
                 std::string form);
  /// Ends those that are chosen.
  void StopIf(const std::function<bool(const Id&)>& chosen);
  std::vector<std::shared_ptr<InformerCore>> All() const;

  const Deps deps_;
  mutable Mutex mutex_;
  std::map<Id, std::shared_ptr<InformerCore>> informers_ FLYBALL_GUARDED_BY(mutex_);
  bool started_ FLYBALL_GUARDED_BY(mutex_) = false;
};

}  // namespace flyball::cache

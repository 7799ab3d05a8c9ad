#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/base/metrics.h"
#include "flyball/base/mutex.h"
#include "flyball/base/timers.h"
#include "flyball/cache/informer_factory.h"
#include "flyball/controllers/garbage_collector/resources.h"

namespace flyball::controllers::garbage_collector {

/// The watches that garbage collection goes by: one for each resource that there is at the time.
/// Kinds come and go. One that cannot be watched keeps none of the others from being collected, and
/// what becomes of a watch is in the log when it changes, not as long as it is so.
///
/// Refresh() by one thread at a time, the others by any.
class Monitors {
 public:
  /// How often Refresh() is to be called, and the longest that it waits for what is new to be read.
  static constexpr std::chrono::nanoseconds kPeriod = std::chrono::seconds(30);

  struct Deps {
    cache::InformerFactory& informers;
    client::Client client;
    Timers& timers;
    Counter sync_errors = {};
    Logger log = {};
  };
  /// Called as quick handlers are.
  struct Told {
    std::function<void(const client::Resource&, const meta::v1::ObjectMeta&)> stored;
    std::function<void(const api::ObjectIdentity&)> deleted;
    std::function<void(const client::Resource&)> forgotten;  ///< all of it, on Refresh()'s thread
  };

  Monitors(Deps deps, Told told) : deps_(std::move(deps)), told_(std::move(told)) {}

  /// Asks the server what there is. False if it did not say.
  bool Refresh(const std::stop_token& stop);
  /// Nobody is told of anything after this.
  void End();

  /// Where objects of a kind are; nothing if there is no such kind, as far as is known.
  std::optional<client::Resource> Find(std::string_view api_version, std::string_view kind) const;
  /// Whether the server's word that an object is not there can be relied on: not where the kind
  /// itself is out of order, or just about to go.
  bool IsReliable(const client::Resource& resource) const;

 private:
  using Monitor = cache::InformerFactory::Following;

  std::vector<client::Resource> Watched() const;
  /// Whether there was anything to change.
  bool Change(const std::vector<client::Resource>& wanted);
  void Watch(const client::Resource& resource);
  void Forget(const client::Resource& resource);
  void WaitForSync(const std::stop_token& stop);
  void NoteProblem(const std::string& problem, bool all);

  const Deps deps_;
  const Told told_;
  std::string problem_;  // as it was last logged; Refresh()'s only

  mutable Mutex mutex_;
  bool ended_ FLYBALL_GUARDED_BY(mutex_) = false;
  std::shared_ptr<const ServedKinds> kinds_ FLYBALL_GUARDED_BY(mutex_) =
      std::make_shared<ServedKinds>();
  /// By the resource's name, "deployments.apps": a resource is watched in one version.
  struct Entry {
    client::Resource resource;
    Monitor monitor;
  };
  std::map<std::string, Entry> monitors_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::controllers::garbage_collector

#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/api/label_selector.h"
#include "flyball/api/object_key.h"
#include "flyball/api/views.h"
#include "flyball/base/mutex.h"
#include "flyball/cache/informer.h"
#include "flyball/controllers/common/services_of_pod.h"

namespace flyball::controllers::common {

/// Which pods each service selects, so that to find a service's pods takes as long as they are
/// many: a namespace may have a thousand services, each of which would otherwise look at all pods
/// of all others. Only when a service comes, or selects otherwise, all pods of its namespace are
/// looked at. A pod costs 16 bytes in each service that selects it.
///
/// Told by the caches' handlers, right after the caches themselves have changed; whoever tells it
/// adds the services that it names to a queue. Any thread.
class PodsOfServices {
 public:
  using Pod = cache::Ref<views::Pod>;
  /// The pods of a namespace that a selector matches.
  using Select =
      std::function<std::vector<Pod>(std::string_view namespace_, const api::Selector& selector)>;

  explicit PodsOfServices(Select select) : select_(std::move(select)) {}

  /// A service is there, maybe not as it was.
  void Put(const core::v1::Service& service);
  void Remove(const api::ObjectKey& service);

  // What these return are the services whose endpoints the change may change.
  std::vector<api::ObjectKey> Added(const Pod& pod);
  std::vector<api::ObjectKey> Updated(const Pod& old, const Pod& now);
  std::vector<api::ObjectKey> Deleted(const Pod& pod);

  /// The pods that a service selects, in the order of their names.
  std::vector<Pod> Of(const api::ObjectKey& service) const;

 private:
  struct Selected {
    api::Map<std::string> written;
    api::Selector selector;
    std::vector<Pod> pods;  // in the order of their names
  };
  void Store(const api::ObjectKey& service, const Pod& pod);
  void Drop(const api::ObjectKey& service, const Pod& pod);

  const Select select_;
  ServicesOfPod services_;
  mutable Mutex mutex_;
  std::unordered_map<api::ObjectKey, Selected> selected_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::controllers::common

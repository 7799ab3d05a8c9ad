#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/api/object_key.h"
#include "flyball/api/time.h"
#include "flyball/api/views.h"
#include "flyball/base/mutex.h"
#include "flyball/cache/informer.h"

namespace flyball::controllers::common {

/// When that happened which the endpoints of a service are changed for, as they say it in an
/// annotation by which people measure how long it takes until the network has heard of a pod.
///
/// It is the one thing here that is kept between reconciles: which of the pods' times are new can
/// be told only by those of the last time. What is lost with a manager is the annotation on one
/// change of a service, which then has the service's own time.
///
/// Any thread, but no two for the same service at once.
class TriggerTimes {
 public:
  /// The earliest of the times that are new since this was last asked for the service: of its pods'
  /// readiness, and of its creation. Not set if none are. The creation, for one that is asked for
  /// the first time.
  api::Time Next(const core::v1::Service& service, const std::vector<cache::Ref<views::Pod>>& pods);
  void Forget(const api::ObjectKey& service);

 private:
  struct Seen {
    api::Time created;
    std::unordered_map<std::string, api::ViewTime> pods;  ///< by name
  };

  mutable Mutex mutex_;
  std::unordered_map<api::ObjectKey, Seen> seen_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::controllers::common

#include "flyball/controllers/common/trigger_times.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace flyball::controllers::common {
namespace {

using api::ObjectKey;
using api::Time;
using api::ViewTime;
using core::v1::Service;
using views::Pod;

/// When it became ready, or ceased to be.
ViewTime TriggerTimeOf(const Pod& pod) {
  const auto* const found = std::ranges::find(pod.status.conditions, std::string_view("Ready"),
                                              [](const auto& its) { return its.type.view(); });
  return found == pod.status.conditions.end() ? ViewTime() : found->lastTransitionTime;
}

Time Earlier(Time earliest, Time other) {
  return earliest.IsZero() ? other : std::min(earliest, other);
}

}  // namespace

Time TriggerTimes::Next(const Service& service, const std::vector<cache::Ref<Pod>>& pods) {
  const ObjectKey key = ObjectKey::Of(service);
  std::optional<Seen> last;
  {
    const MutexLock lock(mutex_);
    if (const auto found = seen_.find(key); found != seen_.end()) last = std::move(found->second);
  }

  Time earliest;
  Seen seen{.created = service.metadata.creationTimestamp, .pods = {}};
  for (const auto& pod : pods) {
    const ViewTime time = TriggerTimeOf(*pod);
    if (time.IsZero()) continue;
    const std::string name(pod->metadata.name);
    if (last) {
      const auto before = last->pods.find(name);
      if (before == last->pods.end() || before->second < time) earliest = Earlier(earliest, time);
    }
    seen.pods.emplace(name, time);
  }
  if (!last) {
    earliest = seen.created;
  } else if (last->created < seen.created) {
    earliest = Earlier(earliest, seen.created);
  }

  const MutexLock lock(mutex_);
  seen_.insert_or_assign(key, std::move(seen));
  return earliest;
}

void TriggerTimes::Forget(const ObjectKey& service) {
  const MutexLock lock(mutex_);
  seen_.erase(service);
}

}  // namespace flyball::controllers::common

#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "flyball/api/apps/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/api/views.h"
#include "flyball/base/clock.h"
#include "flyball/base/mutex.h"
#include "flyball/cache/informer_factory.h"
#include "flyball/endpoints/controllers_handler.h"
#include "flyball/up/view/snapshot.h"

namespace flyball::up {

/// Watches a cluster, and takes snapshots of its status. Reads Deployments, StatefulSets,
/// DaemonSets, Pods, Nodes and Events.
///
/// Look() by one thread at a time.
class ClusterStatusWatcher {
 public:
  struct Deps {
    const Clock& clock;
    cache::InformerFactory& informers;  ///< not started yet
    std::function<std::vector<endpoints::ControllerReport>()> controllers;
    std::string server = {};  ///< where it is, for people
  };

  explicit ClusterStatusWatcher(Deps deps);

  Snapshot Look();
  /// Whether anything happened since the last look.
  bool changed() const { return changed_; }

 private:
  /// A controller's count at the last look.
  struct Before {
    std::uint64_t reconciles = 0;
    std::chrono::nanoseconds busy = {};
  };

  void Happened(const core::v1::Event& event);
  PodCounts CountPods(std::map<std::string, std::size_t>& by_node) const;
  std::vector<ControllerLine> LookAtControllers();

  const Deps deps_;
  const cache::Informer<apps::v1::Deployment> deployments_;
  const cache::Informer<apps::v1::StatefulSet> stateful_sets_;
  const cache::Informer<apps::v1::DaemonSet> daemon_sets_;
  const cache::Informer<views::Pod> pods_;
  const cache::Informer<views::Node> nodes_;
  const cache::Informer<core::v1::Event> events_;

  std::atomic<bool> changed_ = true;
  mutable Mutex mutex_;
  std::deque<EventLine> recent_ FLYBALL_GUARDED_BY(mutex_);

  // Of who looks.
  SteadyTime looked_at_;
  std::map<std::string, Before> before_;
  std::map<std::string, ControllerLine> last_;

  std::vector<std::unique_ptr<cache::Registration>> handlers_;  // end before what they call
};

}  // namespace flyball::up

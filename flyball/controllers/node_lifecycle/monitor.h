#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "flyball/api/object_key.h"
#include "flyball/cache/informer.h"
#include "flyball/controllers/node_lifecycle/evictions.h"
#include "flyball/controllers/node_lifecycle/health_table.h"
#include "flyball/controllers/node_lifecycle/metrics.h"
#include "flyball/controllers/node_lifecycle/zone_plan.h"
#include "flyball/runtime/context.h"
#include "flyball/runtime/reconcile_queue.h"

namespace flyball::controllers::node_lifecycle {

/// Looks at all nodes every few seconds: has those of which nothing is heard say so, tells whose
/// pods are not ready, and how fast pods are driven out of which zone. A look costs a lookup a
/// node; what nodes say of themselves in between costs nothing but the caches' work.
///
/// Reads Nodes, Leases and Pods; writes Nodes/status.
///
/// Nothing is said of a node on hearsay: while the caches cannot be kept up to date nobody's
/// silence counts; before a node is said to be silent the server is asked whether its lease is what
/// the cache has; and what is written is refused if the node has changed.
///
/// It remembers when nodes were last heard of, which no object says. One call at a time.
class Monitor {
 public:
  struct Deps {
    cache::Informer<views::Node> nodes;
    cache::Informer<views::NodeLease> leases;
    cache::Lister<views::Pod> pods;  ///< indexed by node
    Clock& clock;
    std::shared_ptr<HealthTable> health;
    std::shared_ptr<Evictions> evictions;
    /// Nothing is left, so that no pods are driven out. It writes this.
    std::shared_ptr<std::atomic<bool>> all_disrupted;
    Metrics metrics;
    /// Somebody has to look at a node, at a pod that may say too much of itself, and at those that
    /// wait in a zone.
    std::function<void(const std::string& node)> look_at_node;
    std::function<void(const api::ObjectKey& pod)> look_at_pod;
    std::function<void(const std::string& zone)> look_at_zone;
  };
  struct Options {
    GracePeriods grace = {};
    ZoneRules zones = {};
    std::chrono::nanoseconds period = std::chrono::seconds(5);
  };
  Monitor(Deps deps, Options options) : deps_(std::move(deps)), options_(options) {}

  Result<runtime::Outcome> operator()(runtime::Context& context, const std::string& key);

 private:
  struct Seen {
    cache::Ref<views::Node> node;
    cache::Ref<views::NodeLease> lease;
    Judgement judgement;
    bool is_new = false;

    std::string name() const { return std::string(node->metadata.name); }
    bool doubted() const { return judgement.memory.doubted; }
  };

  /// While the caches cannot be kept up to date, nothing can be heard.
  void Listen(SteadyTime now);
  std::vector<Seen> LookAtAll(Moment now) const;
  void TellOfNewAndGone(runtime::Context& context, const std::vector<Seen>& seen);
  /// Whether something was written.
  void MarkUnreachableNodes(runtime::Context& context, std::vector<Seen>& seen);
  bool LeasesAreBehind();
  std::vector<Seen*> Confirm(runtime::Context& context, const std::vector<Seen*>& silent);
  /// Whether what the server has of a lease bears out that its node is silent.
  bool ConfirmsStaleLease(const Seen& seen, const Result<meta::v1::PartialObjectMetadata>& lease);
  static void WriteUnknown(runtime::Context& context, const std::vector<Seen*>& silent);
  void Remember(runtime::Context& context, const std::vector<Seen>& seen) const;
  void LookAtPodsOf(const std::string& node) const;
  void SettleZones(const runtime::Context& context, const std::vector<Seen>& seen, SteadyTime now);
  static void LogQueued(const runtime::Context& context, const std::vector<Seen>& seen,
                        const std::vector<std::string>& queued);
  void TellOfZones(const runtime::Context& context, const ZonePlan& plan);
  void ShowZones(const ZoneCounts& counts);

  const Deps deps_;
  const Options options_;
  SteadyTime deaf_until_ = SteadyTime::min();
  std::string leases_behind_;  ///< a version that the leases' cache has yet to get to
  ZoneCounts shown_;
  std::map<std::string, ZoneState, std::less<>> states_;
};

}  // namespace flyball::controllers::node_lifecycle

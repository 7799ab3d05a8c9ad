#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "flyball/base/metrics.h"
#include "flyball/base/mutex.h"
#include "flyball/controllers/attach_detach/plan.h"
#include "flyball/controllers/common/shown_numbers.h"

namespace flyball::controllers::attach_detach {

/// Of one node: the volumes that are wanted there, those that are or may be attached, and those of
/// its pods.
struct NodeCounts {
  PluginCounts wanted = {};
  PluginCounts attached = {};
  PluginCounts used = {};
};

/// What upstream's controller shows. Any thread.
class Metrics {
 public:
  /// Shows nothing without a registry.
  explicit Metrics(MetricRegistry* registry);

  void Count(const Ended& ended) const;
  /// Volumes that were taken from a node that may still use them.
  void CountForced(Detachment::Force force) const;
  void Show(const std::string& node, NodeCounts counts);

 private:
  struct Shown {
    explicit Shown(MetricRegistry& registry);
    common::ShownNumbers total;
    common::ShownNumbers used;
  };
  static void Add(Shown& shown, const std::string& node, const NodeCounts& counts, int sign);

  CounterFamily forced_;
  HistogramFamily seconds_;
  std::unique_ptr<Shown> shown_;
  Mutex mutex_;
  std::map<std::string, NodeCounts> counts_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::controllers::attach_detach

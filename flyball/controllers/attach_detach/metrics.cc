#include "flyball/controllers/attach_detach/metrics.h"

#include <chrono>

namespace flyball::controllers::attach_detach {

using Operation = VolumeMemory::Operation;

Metrics::Shown::Shown(MetricRegistry& registry)
    : total(registry.Gauges(
          {.name = "attachdetach_controller_total_volumes",
           .help = "[ALPHA] Number of volumes in the attach/detach controller's "
                   "desired_state_of_world (some pod needs the volume attached) and "
                   "actual_state_of_world (the volume is attached), by volume plugin.",
           .labels = {"plugin_name", "state"}})),
      used(registry.Gauges({.name = "storage_count_attachable_volumes_in_use",
                            .help = "[ALPHA] Number of attachable volumes that the pods of a node "
                                    "use, by node and volume plugin.",
                            .labels = {"node", "volume_plugin"}})) {}

Metrics::Metrics(MetricRegistry* registry) {
  if (registry == nullptr) return;
  forced_ = registry->Counters(
      {.name = "attach_detach_controller_attachdetach_controller_forced_detaches",
       .help = "[ALPHA] Number of volumes detached by force, that is without the node having "
               "reported the unmount, by reason: timeout or out-of-service.",
       .labels = {"reason"}});
  seconds_ =
      registry->Histograms({.name = "storage_operation_duration_seconds",
                            .help = "[BETA] Duration of one volume_attach or volume_detach storage "
                                    "operation in seconds, by volume plugin and status.",
                            .labels = {"volume_plugin", "operation_name", "status", "migrated"}},
                           {.1, .25, .5, 1, 2.5, 5, 10, 15, 25, 50, 120, 300, 600});
  shown_ = std::make_unique<Shown>(*registry);
}

void Metrics::Count(const Ended& ended) const {
  const std::chrono::duration<double> took = ended.took;
  seconds_
      .With({ended.plugin,
             ended.operation == Operation::kDetach ? "volume_detach" : "volume_attach",
             ended.failed ? "fail-unknown" : "success", ended.migrated ? "true" : "false"})
      .Observe(took.count());
}

void Metrics::CountForced(Detachment::Force force) const {
  if (force == Detachment::Force::kNone) return;
  const bool late = force == Detachment::Force::kTimeout;
  forced_.With({late ? "timeout" : "out-of-service"}).Increment();
}

void Metrics::Show(const std::string& node, NodeCounts counts) {
  if (shown_ == nullptr) return;
  const MutexLock lock(mutex_);
  Add(*shown_, node, counts, 1);
  const auto before = counts_.find(node);
  if (before != counts_.end()) {
    Add(*shown_, node, before->second, -1);
    counts_.erase(before);
  }
  if (counts.wanted.empty() && counts.attached.empty() && counts.used.empty()) return;
  counts_.emplace(node, std::move(counts));
}

void Metrics::Add(Shown& shown, const std::string& node, const NodeCounts& counts, int sign) {
  for (const auto& [plugin, number] : counts.wanted) {
    shown.total.Add({plugin, "desired_state_of_world"}, sign * number);
  }
  for (const auto& [plugin, number] : counts.attached) {
    shown.total.Add({plugin, "actual_state_of_world"}, sign * number);
  }
  for (const auto& [plugin, number] : counts.used) {
    shown.used.Add({node, plugin}, sign * number);
  }
}

}  // namespace flyball::controllers::attach_detach

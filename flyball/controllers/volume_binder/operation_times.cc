#include "flyball/controllers/volume_binder/operation_times.h"

#include <chrono>

namespace flyball::controllers::volume_binder {
namespace {

const char* NameOf(OperationTimes::Operation operation) {
  return operation == OperationTimes::Operation::kProvision ? "provision" : "delete";
}

}  // namespace

OperationTimes::OperationTimes(MetricRegistry* registry, const Clock& clock) : clock_(clock) {
  if (registry == nullptr) return;
  seconds_ = registry->Histograms(
      {.name = "volume_operation_total_seconds",
       .help = "[BETA] Time in seconds from the start of provisioning or deleting a volume to its "
               "end, retries included, by volume plugin and operation.",
       .labels = {"plugin_name", "operation_name"}},
      {.1, .25, .5, 1, 2.5, 5, 10, 15, 25, 50, 120, 300, 600});
  errors_ = registry->Counters({.name = "volume_operation_errors_total",
                                .help = "[ALPHA] Number of failed attempts to provision or delete "
                                        "a volume, by volume plugin and operation.",
                                .labels = {"plugin_name", "operation_name"}});
}

void OperationTimes::Begin(const std::string& key, const std::string& plugin, Operation operation) {
  const MutexLock lock(mutex_);
  begun_.try_emplace(key,
                     Begun{.plugin = plugin, .operation = operation, .at = clock_.SteadyNow()});
}

void OperationTimes::Failed(const std::string& key) {
  const MutexLock lock(mutex_);
  const auto found = begun_.find(key);
  if (found == begun_.end()) return;
  errors_.With({found->second.plugin, NameOf(found->second.operation)}).Increment();
}

void OperationTimes::Done(const std::string& key) {
  const MutexLock lock(mutex_);
  const auto found = begun_.find(key);
  if (found == begun_.end()) return;
  const Begun& begun = found->second;
  const std::chrono::duration<double> took = clock_.SteadyNow() - begun.at;
  seconds_.With({begun.plugin, NameOf(begun.operation)}).Observe(took.count());
  begun_.erase(found);
}

void OperationTimes::Forget(const std::string& key) {
  const MutexLock lock(mutex_);
  begun_.erase(key);
}

}  // namespace flyball::controllers::volume_binder

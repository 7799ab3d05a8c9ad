#include "benchmarks/managers/fleet.h"
#include "benchmarks/managers/loads.h"
#include "flyball/api/apps/v1.h"

namespace flyball::bench {

using apps::v1::StatefulSet;

Result<> RunStatefulSets(Stage& stage, const Size& size) {
  const auto describe = [pods = size.each](int number) {
    StatefulSet set;
    set.spec.replicas = pods;
    set.spec.serviceName = "db";
    set.spec.selector.emplace().matchLabels = {{"app", Fleet<StatefulSet>::NameOf(number)}};
    set.spec.podManagementPolicy = number % 2 == 0 ? "OrderedReady" : "Parallel";
    DescribeTemplate(set, Fleet<StatefulSet>::NameOf(number));
    return set;
  };
  const auto is_complete = [pods = size.each](const StatefulSet& set) {
    const auto& status = set.status;
    return status.observedGeneration >= set.metadata.generation && status.replicas == pods &&
           status.updatedReplicas == pods && status.availableReplicas == pods &&
           status.currentRevision == status.updateRevision;
  };
  return RunSets<StatefulSet>(
      stage,
      {.count = size.count, .pods = size.all(), .describe = describe, .is_complete = is_complete});
}

}  // namespace flyball::bench

#include "benchmarks/managers/fleet.h"
#include "benchmarks/managers/loads.h"
#include "flyball/api/apps/v1.h"

namespace flyball::bench {

using apps::v1::DaemonSet;

Result<> RunDaemonSets(Stage& stage, const Size& size) {
  const auto describe = [](int number) {
    DaemonSet set;
    set.spec.selector.emplace().matchLabels = {{"app", Fleet<DaemonSet>::NameOf(number)}};
    // A fifth at a time: as people have it who have many nodes.
    set.spec.updateStrategy.rollingUpdate.emplace().maxUnavailable = api::IntOrString::Parse("20%");
    DescribeTemplate(set, Fleet<DaemonSet>::NameOf(number));
    return set;
  };
  const auto is_complete = [nodes = size.each](const DaemonSet& set) {
    const auto& status = set.status;
    return status.observedGeneration >= set.metadata.generation &&
           status.desiredNumberScheduled == nodes && status.updatedNumberScheduled == nodes &&
           status.numberAvailable == nodes;
  };
  return RunSets<DaemonSet>(
      stage,
      {.count = size.count, .pods = size.all(), .describe = describe, .is_complete = is_complete});
}

}  // namespace flyball::bench

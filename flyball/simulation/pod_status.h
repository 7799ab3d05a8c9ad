#pragma once

#include <array>
#include <optional>
#include <string>

#include "flyball/api/core/v1.h"
#include "flyball/api/kubelet_views.h"
#include "flyball/client/resource_client.h"
#include "flyball/simulation/pod_lifecycle.h"

namespace flyball::simulation {

/// What a node knows of a pod beside how far it is.
struct PodPlace {
  std::string host_ip;
  std::string pod_ip = {};  ///< empty while there is no sandbox
};

/// Since when each of the conditions that kubelet owns is as it is, in the order in which kubelet
/// writes them; nothing where it has not been written.
struct ConditionTimes {
  struct Since {
    bool holds = false;
    WallTime time = {};
    friend bool operator==(const Since&, const Since&) = default;
  };
  std::array<std::optional<Since>, 5> since = {};

  /// Those that a pod's status shows.
  static ConditionTimes Of(const views::KubeletPod& pod);
  friend bool operator==(const ConditionTimes&, const ConditionTimes&) = default;
};

/// The status of a pod, as kubelet would write it: those fields, and those conditions, that are
/// kubelet's. Updates `times` where a condition changes.
core::v1::PodStatus StatusOf(const views::KubeletPod& pod, const PodRun& run,
                             const PodScript& script, const PodPlace& place, WallTime now,
                             ConditionTimes& times);

/// What writes that. Conditions of others stay, and so does everything that is not kubelet's.
Result<client::Patch> StatusPatch(const views::KubeletPod& pod, const core::v1::PodStatus& status);

/// Whether the pod on the server says otherwise, in what matters to others: somebody wrote into
/// what is kubelet's, as the node lifecycle controller does to pods of a node that is silent.
bool IsAtOdds(const views::KubeletPod& pod, const core::v1::PodStatus& status);

}  // namespace flyball::simulation

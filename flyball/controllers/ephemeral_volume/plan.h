#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/api/views.h"
#include "flyball/base/result.h"

namespace flyball::controllers::ephemeral_volume {

using core::v1::PersistentVolumeClaim;

/// Whether there is anything to be made for a pod.
bool Concerns(const views::Pod& pod);

/// What the caches have under a name in the pod's namespace; null if nothing.
using FindClaim =
    std::function<std::shared_ptr<const PersistentVolumeClaim>(const std::string& name)>;

/// What is to become of one ephemeral volume.
struct Step {
  std::string volume;
  PersistentVolumeClaim claim = {};  ///< to be made, unless there is a problem
  std::string problem = {};          ///< why it cannot be

  std::string ToString() const;
  friend bool operator==(const Step&, const Step&) = default;
};

/// Decides: what is missing, in the order of the pod's volumes. Nothing comes after a problem: the
/// pod cannot start, so that what else it would need is not made.
Result<std::vector<Step>> PlanFor(const views::Pod& pod, const FindClaim& find);

}  // namespace flyball::controllers::ephemeral_volume

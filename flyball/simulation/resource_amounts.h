#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flyball/api/kubelet_views.h"
#include "flyball/api/view.h"

namespace flyball::simulation {

/// How much of each resource, in the units that a scheduler reckons in.
struct ResourceAmounts {
  std::int64_t milli_cpu = 0;
  std::int64_t memory = 0;
  std::int64_t ephemeral_storage = 0;
  /// Of what else there is, by name: "example.com/gpu", "hugepages-2Mi". Pods are not among them.
  std::vector<std::pair<std::string, std::int64_t>> others = {};

  std::int64_t& operator[](std::string_view name);
  std::int64_t Of(std::string_view name) const;
  void Add(const ResourceAmounts& more);
  void Subtract(const ResourceAmounts& less);
  /// Each the larger of the two.
  void Raise(const ResourceAmounts& other);

  friend bool operator==(const ResourceAmounts&, const ResourceAmounts&) = default;
};

/// Amounts that cannot be read are left out: the API server lets none through.
ResourceAmounts AmountsOf(const api::ViewMap& texts);

/// What a pod asks of a node, all of its containers taken together: those that run at a time are
/// added up, init containers and the sidecars that run beside them included.
ResourceAmounts RequestsOf(const views::KubeletPod& pod);

}  // namespace flyball::simulation

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "flyball/api/views.h"
#include "flyball/client/resource_client.h"

namespace flyball::controllers::node_ttl {

/// For how many seconds kubelets may go by what they have read of secrets and config maps: the more
/// nodes there are, the longer. Between two sizes of a cluster there is some play, so that one node
/// that comes and goes does not have all others written to.
///
/// Which of two times it is where sizes overlap depends on where the count comes from, and that is
/// not kept anywhere: so this is told of every node that comes and goes.
class ClusterSize {
 public:
  void Grow();
  void Shrink();
  int ttl_seconds() const;

 private:
  int nodes_ = 0;
  std::size_t step_ = 0;
};

/// What a node is to be patched with; nothing if it knows already.
std::optional<client::Patch> PlanFor(const views::Node& node, int ttl_seconds);

}  // namespace flyball::controllers::node_ttl

#pragma once

#include <optional>

#include "flyball/ctl/cluster.h"
#include "flyball/ctl/error_text.h"
#include "flyball/ctl/selection.h"

namespace flyball::ctl {

struct DescribeOptions {
  Selection selection = {};
  /// What happened to the objects; unless told, of one object only.
  std::optional<bool> show_events = {};
};

/// Tells all that there is to know about objects, and what belongs to them.
Errors Describe(Cluster& cluster, const DescribeOptions& options);

}  // namespace flyball::ctl

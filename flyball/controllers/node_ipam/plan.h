#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/views.h"
#include "flyball/base/error.h"
#include "flyball/client/resource_client.h"

namespace flyball::controllers::node_ipam {

/// A node's ranges, one of each of the cluster's: "10.244.3.0/24".
using Ranges = std::vector<std::string>;

Ranges RangesOf(const views::Node& node);
bool SameRanges(const views::Node& a, const views::Node& b);

/// What is to be done about a node.
enum class Action : std::uint8_t {
  kLeave,  ///< it goes, whatever it has
  kCheck,  ///< it has ranges
  kGive,   ///< it has none
};
Action ActionFor(const views::Node& node);

/// Gives ranges to the very node with this uid.
client::Patch RangesPatch(std::string_view uid, const Ranges& ranges);

std::string Joined(const Ranges& ranges);

}  // namespace flyball::controllers::node_ipam

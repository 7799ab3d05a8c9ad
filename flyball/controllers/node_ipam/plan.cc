#include "flyball/controllers/node_ipam/plan.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "flyball/api/json.h"

namespace flyball::controllers::node_ipam {

using api::Json;

Ranges RangesOf(const views::Node& node) {
  Ranges ranges;
  for (const auto& range : node.spec.podCIDRs) ranges.emplace_back(range.view());
  return ranges;
}

bool SameRanges(const views::Node& a, const views::Node& b) {
  return std::ranges::equal(a.spec.podCIDRs, b.spec.podCIDRs,
                            [](const auto& x, const auto& y) { return x.view() == y.view(); });
}

Action ActionFor(const views::Node& node) {
  if (node.metadata.deletionTimestamp) return Action::kLeave;
  return node.spec.podCIDRs.empty() ? Action::kGive : Action::kCheck;
}

client::Patch RangesPatch(std::string_view uid, const Ranges& ranges) {
  Json::Array all;
  for (const std::string& range : ranges) all.emplace_back(range);
  Json patch = Json::Object{
      {"metadata", Json::Object{{"uid", std::string(uid)}}},
      {"spec", Json::Object{{"podCIDR", ranges.front()}, {"podCIDRs", std::move(all)}}}};
  return client::Patch::Strategic(patch);
}

std::string Joined(const Ranges& ranges) {
  return std::accumulate(ranges.begin(), ranges.end(), std::string(),
                         [](const std::string& text, const std::string& range) {
                           return text.empty() ? range : text + ", " + range;
                         });
}

}  // namespace flyball::controllers::node_ipam

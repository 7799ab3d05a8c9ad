#include "flyball/controllers/cluster_role_aggregation/plan.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "flyball/api/equality.h"
#include "flyball/api/label_selector.h"
#include "flyball/controllers/common/require_readable.h"

namespace flyball::controllers::cluster_role_aggregation {
namespace {

using api::Json;
using rbac::v1::ClusterRole;
using rbac::v1::PolicyRule;
using Roles = std::span<const std::shared_ptr<const ClusterRole>>;

bool Same(const PolicyRule& a, const PolicyRule& b) { return api::SemanticEqual(a, b); }

/// The roles but one that a selector chooses, in the order of their names.
std::vector<std::shared_ptr<const ClusterRole>> Chosen(Roles all, const api::Selector& selector,
                                                       const ClusterRole& but) {
  std::vector<std::shared_ptr<const ClusterRole>> chosen;
  for (const auto& role : all) {
    if (role->metadata.name == but.metadata.name) continue;
    if (selector.Matches(role->metadata.labels)) chosen.push_back(role);
  }
  std::ranges::sort(chosen, {}, [](const auto& role) { return role->metadata.name; });
  return chosen;
}

void AddMissing(const Rules& from, Rules& to) {
  for (const PolicyRule& rule : from) {
    const auto same = [&](const PolicyRule& present) { return Same(present, rule); };
    if (std::ranges::none_of(to, same)) to.push_back(rule);
  }
}

}  // namespace

Result<std::optional<Rules>> PlanFor(const ClusterRole& role, Roles all) {
  if (!role.aggregationRule) return std::nullopt;
  Rules rules;
  for (const auto& message : role.aggregationRule->clusterRoleSelectors) {
    FLYBALL_TRY(const auto selector, api::Selector::FromMessage(message));
    const auto chosen = Chosen(all, selector, role);
    // Rules that cannot be read would be taken out of all roles that have them from there.
    FLYBALL_TRY(common::RequireReadable(chosen));
    for (const auto& other : chosen) {
      AddMissing(other->rules, rules);
    }
  }
  if (std::ranges::equal(rules, role.rules, Same)) return std::nullopt;
  return rules;
}

Json ApplyConfiguration(const std::string& name, const Rules& rules) {
  Json::Array list;
  for (const PolicyRule& rule : rules) {
    Json::Object entry;
    const auto add = [&](std::string_view member, const std::vector<std::string>& values) {
      if (!values.empty()) entry[member] = Json::Array(values.begin(), values.end());
    };
    add("apiGroups", rule.apiGroups);
    add("nonResourceURLs", rule.nonResourceURLs);
    add("resourceNames", rule.resourceNames);
    add("resources", rule.resources);
    add("verbs", rule.verbs);
    list.emplace_back(std::move(entry));
  }
  Json::Object configuration;
  configuration["apiVersion"] = "rbac.authorization.k8s.io/v1";
  configuration["kind"] = "ClusterRole";
  configuration["metadata"] = Json::Object{{"name", name}};
  if (!list.empty()) configuration["rules"] = std::move(list);
  return configuration;
}

}  // namespace flyball::controllers::cluster_role_aggregation

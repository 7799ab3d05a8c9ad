#include "flyball/simulation/node_affinity.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

namespace flyball::simulation {
namespace {

using core::v1::NodeSelectorRequirement;
using core::v1::NodeSelectorTerm;

std::optional<std::int64_t> Number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool IsMet(const NodeSelectorRequirement& requirement, std::optional<std::string_view> value) {
  const auto& values = requirement.values;
  const bool among = value && std::ranges::find(values, *value) != values.end();
  if (requirement.operator_ == "In") return among;
  if (requirement.operator_ == "NotIn") return !among;
  if (requirement.operator_ == "Exists") return value.has_value();
  if (requirement.operator_ == "DoesNotExist") return !value;
  if (!value || values.size() != 1) return false;
  const auto actual = Number(*value);
  const auto bound = Number(values.front());
  if (!actual || !bound) return false;
  if (requirement.operator_ == "Gt") return *actual > *bound;
  if (requirement.operator_ == "Lt") return *actual < *bound;
  return false;
}

}  // namespace

bool Matches(const NodeSelectorTerm& term, std::string_view node_name, const api::ViewMap& labels) {
  if (term.matchExpressions.empty() && term.matchFields.empty()) return false;
  return std::ranges::all_of(term.matchExpressions,
                             [&](const NodeSelectorRequirement& requirement) {
                               return IsMet(requirement, labels.find(requirement.key));
                             }) &&
         std::ranges::all_of(term.matchFields, [&](const NodeSelectorRequirement& requirement) {
           return requirement.key == "metadata.name" && IsMet(requirement, node_name);
         });
}

bool MatchesAny(const core::v1::NodeSelector& selector, std::string_view node_name,
                const api::ViewMap& labels) {
  return std::ranges::any_of(selector.nodeSelectorTerms, [&](const NodeSelectorTerm& term) {
    return Matches(term, node_name, labels);
  });
}

}  // namespace flyball::simulation

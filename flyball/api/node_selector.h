#pragma once

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/api/field_selector.h"
#include "flyball/api/label_selector.h"

/// Which nodes a pod may be on, by their labels and names: read once, for all nodes.
namespace flyball::api {

/// A term of a node selector. All that it says must hold; one that says nothing means no node, and
/// so does one that makes no sense.
class NodeSelectorTerm {
 public:
  explicit NodeSelectorTerm(const core::v1::NodeSelectorTerm& term);

  template <ValueSource Labels>
  bool Matches(std::string_view node, const Labels& labels) const {
    return labels_.Matches(labels) && fields_.Matches([&](const std::string& field) {
      return field == "metadata.name" ? std::optional(node) : std::nullopt;
    });
  }

 private:
  Selector labels_;
  FieldSelector fields_;
};

/// The terms of a node selector, of which one must hold.
class NodeSelector {
 public:
  explicit NodeSelector(const core::v1::NodeSelector& selector)
      : terms_(selector.nodeSelectorTerms.begin(), selector.nodeSelectorTerms.end()) {}

  template <ValueSource Labels>
  bool Matches(std::string_view node, const Labels& labels) const {
    return std::ranges::any_of(
        terms_, [&](const NodeSelectorTerm& term) { return term.Matches(node, labels); });
  }

 private:
  std::vector<NodeSelectorTerm> terms_;
};

/// What a pod asks of a node without fail: its nodeSelector, and its required affinity.
class RequiredNodes {
 public:
  /// Any node.
  RequiredNodes() = default;
  template <class PairRange>
  RequiredNodes(const PairRange& node_selector, const core::v1::NodeAffinity* affinity)
      : labels_(Selector::FromLabels(node_selector)) {
    if (affinity == nullptr) return;
    const auto& required = affinity->requiredDuringSchedulingIgnoredDuringExecution;
    if (required) affinity_.emplace(*required);
  }

  template <ValueSource Labels>
  bool Match(std::string_view node, const Labels& labels) const {
    return labels_.Matches(labels) && (!affinity_ || affinity_->Matches(node, labels));
  }

 private:
  Selector labels_;
  std::optional<NodeSelector> affinity_;
};

}  // namespace flyball::api

#include "flyball/api/node_selector.h"

#include <string>
#include <utility>

#include "flyball/base/result.h"

namespace flyball::api {
namespace {

std::optional<LabelOperator> OperatorNamed(std::string_view name) {
  if (name == "In") return LabelOperator::kIn;
  if (name == "NotIn") return LabelOperator::kNotIn;
  if (name == "Exists") return LabelOperator::kExists;
  if (name == "DoesNotExist") return LabelOperator::kDoesNotExist;
  if (name == "Gt") return LabelOperator::kGreaterThan;
  if (name == "Lt") return LabelOperator::kLessThan;
  return std::nullopt;
}

Selector LabelsOf(const core::v1::NodeSelectorTerm& term) {
  Selector::Builder selector;
  for (const auto& requirement : term.matchExpressions) {
    const auto op = OperatorNamed(requirement.operator_);
    if (!op) return Selector::Nothing();
    const auto added =
        selector.Add(requirement.key, *op, {requirement.values.begin(), requirement.values.end()});
    if (!added) return Selector::Nothing();
  }
  return std::move(selector).Build();
}

FieldSelector FieldsOf(const core::v1::NodeSelectorTerm& term) {
  FieldSelector selector;
  for (const auto& requirement : term.matchFields) {
    const bool in = requirement.operator_ == "In";
    if ((!in && requirement.operator_ != "NotIn") || requirement.values.size() != 1) {
      return FieldSelector::Nothing();
    }
    selector.Add({requirement.key, in ? FieldOperator::kEquals : FieldOperator::kNotEquals,
                  requirement.values.front()});
  }
  return selector;
}

}  // namespace

NodeSelectorTerm::NodeSelectorTerm(const core::v1::NodeSelectorTerm& term)
    : labels_(LabelsOf(term)), fields_(FieldsOf(term)) {
  if (term.matchExpressions.empty() && term.matchFields.empty()) labels_ = Selector::Nothing();
}

}  // namespace flyball::api

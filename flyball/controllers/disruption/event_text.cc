#include "flyball/controllers/disruption/event_text.h"

#include "flyball/base/log_format.h"

namespace flyball::controllers::disruption {
namespace {

/// As Go prints the message.
std::string GoText(const meta::v1::LabelSelector& selector) {
  std::string labels;
  for (const auto& [key, value] : selector.matchLabels) labels += key + ": " + value + ",";
  std::string expressions;
  for (const auto& each : selector.matchExpressions) {
    std::string values;
    for (const std::string& value : each.values) values += (values.empty() ? "" : " ") + value;
    expressions += "LabelSelectorRequirement{Key:" + each.key + ",Operator:" + each.operator_ +
                   ",Values:[" + values + "],},";
  }
  return "&LabelSelector{MatchLabels:map[string]string{" + labels +
         "},MatchExpressions:[]LabelSelectorRequirement{" + expressions + "},}";
}

}  // namespace

std::string Quoted(std::string_view text) {
  std::string quoted;
  AppendGoQuoted(quoted, text);
  return quoted;
}

std::string UnmanagedText(const policy::v1::PodDisruptionBudget& budget) {
  const auto& selector = budget.spec.selector;
  return "Pods selected by this PodDisruptionBudget (selector: " +
         (selector ? GoText(*selector) : "nil") +
         ") were found to be unmanaged. As a result, the status of the PDB cannot be calculated "
         "correctly, which may result in undefined behavior. To account for these pods please set "
         "\".spec.minAvailable\" field of the PDB to an integer value.";
}

// PARITY: the namespace stands where the name ought to.
std::string NotDeletedText(const policy::v1::PodDisruptionBudget& budget) {
  const std::string& space = budget.metadata.namespace_;
  return "Pod was expected by PDB " + space + "/" + space + " to be deleted but it wasn't";
}

std::string SeveralBudgetsText(const views::Pod& pod, std::string_view budget) {
  return "Pod " + Quoted(pod.metadata.namespace_) + "/" + Quoted(pod.metadata.name) +
         " matches multiple PodDisruptionBudgets.  Chose " + Quoted(budget) + " arbitrarily.";
}

}  // namespace flyball::controllers::disruption

/// Input: a selector's text, read as a label selector and as a field selector.
#include <algorithm>
#include <map>

#include "flyball/api/field_selector.h"
#include "flyball/api/internal/fuzz_property.h"
#include "flyball/api/label_selector.h"
#include "flyball/api/label_validation.h"
#include "flyball/api/meta/v1.h"

namespace flyball::api {
namespace {

using Labels = std::map<std::string, std::string>;

/// Label sets around a selector: none, each of its values, values next to them.
std::vector<Labels> LabelsAround(const Selector& selector) {
  std::vector<Labels> sets(1);
  Labels first;
  Labels last;
  Labels other;
  for (const LabelRequirement& requirement : selector.requirements()) {
    const auto values = requirement.values();
    first[requirement.key()] = values.empty() ? "" : values.front();
    last[requirement.key()] = values.empty() ? "1" : values.back();
    other[requirement.key()] = values.empty() ? "x" : values.front() + "0";
  }
  sets.insert(sets.end(), {std::move(first), std::move(last), std::move(other)});
  return sets;
}

/// The structured form of a selector; none if an operator has no place in it.
std::optional<meta::v1::LabelSelector> ToMessage(const Selector& selector) {
  meta::v1::LabelSelector message;
  for (const LabelRequirement& requirement : selector.requirements()) {
    meta::v1::LabelSelectorRequirement& expression = message.matchExpressions.emplace_back();
    expression.key = requirement.key();
    expression.values.assign(requirement.values().begin(), requirement.values().end());
    switch (requirement.op()) {
      case LabelOperator::kIn:
      case LabelOperator::kEquals:
      case LabelOperator::kDoubleEquals:
        expression.operator_ = "In";
        break;
      case LabelOperator::kNotIn:
      case LabelOperator::kNotEquals:
        expression.operator_ = "NotIn";
        break;
      case LabelOperator::kExists:
        expression.operator_ = "Exists";
        break;
      case LabelOperator::kDoesNotExist:
        expression.operator_ = "DoesNotExist";
        break;
      case LabelOperator::kGreaterThan:
      case LabelOperator::kLessThan:
        return std::nullopt;
    }
  }
  return message;
}

void CheckLabelSelector(std::string_view text) {
  const auto selector = Selector::Parse(text);
  if (!selector) return CheckRefusal(selector.error());
  const std::string printed = selector->ToString();
  const auto again = Selector::Parse(printed);
  FLYBALL_CHECK(again, printed + ": " + again.error().Describe());
  FLYBALL_CHECK(*again == *selector, printed);
  FLYBALL_CHECK(again->ToString() == printed, printed);

  const auto message = ToMessage(*selector);
  const auto structured = message ? Selector::FromMessage(*message) : again;
  FLYBALL_CHECK(structured, printed + ": " + structured.error().Describe());
  for (const Labels& labels : LabelsAround(*selector)) {
    const bool matches = selector->Matches(labels);
    FLYBALL_CHECK(again->Matches(labels) == matches, printed);
    FLYBALL_CHECK(structured->Matches(labels) == matches, printed);
    for (const LabelRequirement& requirement : selector->requirements()) {
      const auto exact = selector->RequiresExactMatch(requirement.key());
      FLYBALL_CHECK(!matches || !exact || labels.at(requirement.key()) == *exact, printed);
    }
  }
}

void CheckFieldSelector(std::string_view text) {
  const auto selector = FieldSelector::Parse(text);
  if (!selector) return CheckRefusal(selector.error());
  const std::string printed = selector->ToString();
  const auto again = FieldSelector::Parse(printed);
  FLYBALL_CHECK(again, printed);
  // Terms are sorted by their text, in which `==` has become `=`: the order may change, once.
  FLYBALL_CHECK(std::ranges::is_permutation(again->requirements(), selector->requirements()),
                printed);
  const auto third = FieldSelector::Parse(again->ToString());
  FLYBALL_CHECK(third && *third == *again, printed);

  Labels values;
  for (const FieldRequirement& requirement : selector->requirements()) {
    values[requirement.field] = requirement.value;
  }
  FLYBALL_CHECK(selector->Matches(values) == again->Matches(values), printed);
  FLYBALL_CHECK(selector->Matches(Labels()) == again->Matches(Labels()), printed);
}

}  // namespace
}  // namespace flyball::api

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flyball::api;  // NOLINT(google-build-using-namespace)
  const std::string_view text = FuzzInput(data, size);
  CheckLabelSelector(text);
  CheckFieldSelector(text);
  const auto unescaped = UnescapeFieldValue(EscapeFieldValue(text));
  FLYBALL_CHECK(unescaped, "an escaped value is not read");
  FLYBALL_CHECK(*unescaped == text || !IsValidUtf8(text), "a value changes when it is escaped");
  for (const char c : QuoteForMessage(text)) FLYBALL_CHECK(c >= ' ' && c <= '~', "not printable");
  return 0;
}

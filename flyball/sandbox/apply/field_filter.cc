#include "flyball/sandbox/apply/field_filter.h"

#include <algorithm>

namespace flyball::sandbox::apply {
namespace {

using Patterns = std::vector<const std::vector<std::string>*>;

/// `active` are the patterns that all steps so far, `depth` of them, agree with.
void KeepMatches(FieldSet& fields, const Patterns& active, std::size_t depth) {
  if (std::ranges::any_of(active, [&](const auto* one) { return one->size() == depth; })) return;
  fields.EditNodes([&](FieldSet::Node& node) {
    Patterns matching;
    for (const auto* one : active) {
      const std::string& step = (*one)[depth];
      if (step == "*" || node.element.CompareField(step) == 0) matching.push_back(one);
    }
    if (matching.empty()) {
      node.owned = false;
      node.children = {};
      return;
    }
    KeepMatches(node.children, matching, depth + 1);
  });
}

}  // namespace

FieldFilter FieldFilter::Excluding(FieldSet excluded) {
  FieldFilter filter;
  filter.excluded_ = std::move(excluded);
  return filter;
}

FieldFilter FieldFilter::Including(std::vector<std::vector<std::string>> patterns) {
  FieldFilter filter;
  filter.included_ = std::move(patterns);
  return filter;
}

void FieldFilter::Apply(FieldSet& fields) const {
  if (!excluded_.Empty()) fields.RemoveTrees(excluded_);
  if (included_.empty()) return;
  Patterns active;
  for (const auto& pattern : included_) active.push_back(&pattern);
  KeepMatches(fields, active, 0);
}

}  // namespace flyball::sandbox::apply

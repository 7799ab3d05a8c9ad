#include "flyball/sandbox/custom/custom_schema.h"

#include <optional>

#include "flyball/crd/schema_place.h"

namespace flyball::sandbox {
namespace {

/// std::regex goes one frame deeper with each character.
constexpr std::size_t kLongestMatched = 4096;

/// None where Go's syntax has something that this one has not.
std::optional<std::regex> Compile(const std::string& pattern) {
  try {
    return std::regex(pattern);
  } catch (const std::regex_error&) {
    return std::nullopt;
  }
}

}  // namespace

CustomSchema::CustomSchema(Props root)
    : root_(std::move(root)), types_(apply::TypeSchema::OfCustomKind(root_, false)) {
  CollectPatterns(root_);
}

void CustomSchema::CollectPatterns(const Props& schema) {
  if (!schema.pattern.empty() && !patterns_.contains(schema.pattern)) {
    if (auto compiled = Compile(schema.pattern)) patterns_.emplace(schema.pattern, *compiled);
  }
  for (const auto& [name, property] : schema.properties) CollectPatterns(property);
  for (const auto* const list : {&schema.allOf, &schema.anyOf, &schema.oneOf}) {
    for (const Props& each : *list) CollectPatterns(each);
  }
  if (schema.not_) CollectPatterns(*schema.not_);
  if (const Props* const items = crd::ItemsOf(schema)) CollectPatterns(*items);
  if (const Props* const values = crd::AdditionalOf(schema)) CollectPatterns(*values);
}

bool CustomSchema::Matches(const std::string& text, const std::string& pattern) const {
  const auto found = patterns_.find(pattern);
  if (found == patterns_.end() || text.size() > kLongestMatched) return true;
  return std::regex_search(text, found->second);
}

}  // namespace flyball::sandbox

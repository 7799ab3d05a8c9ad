#include "flyball/sandbox/custom/custom_schema.h"

#include <algorithm>
#include <set>

#include "flyball/crd/schema_place.h"

namespace flyball::sandbox {
namespace {

using Props = CustomSchema::Props;

/// What all patterns of a schema may take together.
constexpr std::size_t kPatternMemory = std::size_t{64} << 20;

void CollectPatterns(const Props& schema, std::set<std::string>& patterns) {
  if (!schema.pattern.empty()) patterns.insert(schema.pattern);
  for (const auto& [name, property] : schema.properties) CollectPatterns(property, patterns);
  for (const auto* const list : {&schema.allOf, &schema.anyOf, &schema.oneOf}) {
    for (const Props& each : *list) CollectPatterns(each, patterns);
  }
  if (schema.not_) CollectPatterns(*schema.not_, patterns);
  if (const Props* const items = crd::ItemsOf(schema)) CollectPatterns(*items, patterns);
  if (const Props* const values = crd::AdditionalOf(schema)) CollectPatterns(*values, patterns);
}

}  // namespace

CustomSchema::CustomSchema(Props root)
    : root_(std::move(root)), types_(apply::TypeSchema::OfCustomKind(root_, false)) {
  CompilePatterns();
}

void CustomSchema::CompilePatterns() {
  std::set<std::string> patterns;
  CollectPatterns(root_, patterns);
  if (patterns.empty()) return;
  const std::size_t memory = std::min(Pattern::kDefaultMemory, kPatternMemory / patterns.size());
  for (const std::string& pattern : patterns) {
    if (auto compiled = Pattern::Compile(pattern, memory)) {
      patterns_.emplace(pattern, *std::move(compiled));
    }
  }
}

bool CustomSchema::Matches(const std::string& text, const std::string& pattern) const {
  const auto found = patterns_.find(pattern);
  return found == patterns_.end() || found->second.Matches(text);
}

}  // namespace flyball::sandbox

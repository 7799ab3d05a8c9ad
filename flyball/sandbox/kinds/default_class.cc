#include "flyball/sandbox/kinds/default_class.h"

#include <algorithm>

namespace flyball::sandbox {

std::optional<std::string> DefaultClass(const StrategyContext& context, std::string_view collection,
                                        std::initializer_list<std::string_view> annotations) {
  std::optional<meta::v1::ObjectMeta> newest;
  for (const RecordPtr& record : context.List(collection, "")) {
    const api::AnyObject object = record->Decode();
    const meta::v1::ObjectMeta& metadata = record->kind().Metadata(object);
    const auto says_so = [&](std::string_view annotation) {
      const std::string* const value = metadata.annotations.find(annotation);
      return value != nullptr && *value == "true";
    };
    if (!std::ranges::any_of(annotations, says_so)) continue;
    // They come by name, so that of the same age the first stays.
    if (!newest || metadata.creationTimestamp > newest->creationTimestamp) newest = metadata;
  }
  if (!newest) return std::nullopt;
  return newest->name;
}

}  // namespace flyball::sandbox

#include "tests/faults/comparison.h"

#include <string_view>

#include "tests/scenario/scenario_file.h"

namespace flyball::faults {
namespace {

using api::Json;

/// Replaces each observedGeneration in a tree by whether it is the object's.
void JudgeObserved(Json& tree, const Json* generation) {
  if (auto* const list = tree.If<Json::Array>()) {
    for (Json& each : *list) JudgeObserved(each, generation);
  } else if (auto* const members = tree.If<Json::Object>()) {
    for (auto& [name, value] : *members) {
      if (name == "observedGeneration") {
        value = generation != nullptr && value == *generation ? "<the newest>" : "<an old one>";
      } else {
        JudgeObserved(value, generation);
      }
    }
  }
}

}  // namespace

Json WithoutTheWay(const Json& portrait, bool aged) {
  Json::Object shown = *portrait.If<Json::Object>();
  shown.erase("events");
  for (auto& [name, object] : shown) {
    if (aged || name.starts_with("endpoints/")) object.If<Json::Object>()->erase("since");
    const Json* const found = scenario::FindPath(object, "metadata.generation");
    if (found == nullptr) continue;
    const Json generation = *found;
    if (Json* const status = object.If<Json::Object>()->find("status")) {
      JudgeObserved(*status, &generation);
    }
    object.If<Json::Object>()->find("metadata")->If<Json::Object>()->erase("generation");
  }
  return shown;
}

}  // namespace flyball::faults

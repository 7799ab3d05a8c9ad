#include "flyball/sandbox/behaviour.h"

#include <unordered_map>

#include "flyball/api/apiextensions/v1.h"
#include "flyball/sandbox/custom/custom_behaviours.h"

namespace flyball::sandbox {

const Behaviour& BehaviourOf(const Kind& kind) {
  static const Behaviour kNone;
  static const std::unordered_map<const api::TypeInfo*, const Behaviour*> kTable = {
      {&apiextensions::v1::CustomResourceDefinition::kType, &CustomDefinitionBehaviour()},
      {&meta::v1::PartialObjectMetadata::kType, &CustomObjectBehaviour()},
  };
  const auto found = kTable.find(&kind.type());
  return found == kTable.end() ? kNone : *found->second;
}

}  // namespace flyball::sandbox

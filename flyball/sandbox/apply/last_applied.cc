#include "flyball/sandbox/apply/last_applied.h"

#include "flyball/sandbox/apply/comparison.h"
#include "flyball/sandbox/apply/object_fields.h"
#include "flyball/sandbox/apply/schema_check.h"

namespace flyball::sandbox::apply {
namespace {

constexpr std::size_t kMostAnnotationBytes = 256 << 10;

Json::Object* Annotations(Json& object) {
  Json::Object* members = object.If<Json::Object>();
  Json* metadata = members != nullptr ? members->find("metadata") : nullptr;
  Json::Object* fields = metadata != nullptr ? metadata->If<Json::Object>() : nullptr;
  Json* annotations = fields != nullptr ? fields->find("annotations") : nullptr;
  return annotations != nullptr ? annotations->If<Json::Object>() : nullptr;
}

const std::string* LastApplied(const Json& object) {
  const Json* metadata = object.Find("metadata");
  const Json* annotations = metadata != nullptr ? metadata->Find("annotations") : nullptr;
  const Json* text = annotations != nullptr ? annotations->Find(kLastApplied) : nullptr;
  const std::string* value = text != nullptr ? text->If<std::string>() : nullptr;
  return value != nullptr && !value->empty() ? value : nullptr;
}

/// The fields that the annotation names and that are still as it says.
Result<FieldSet> StillAsApplied(const FieldScope& scope, const Json& live) {
  const std::string* text = LastApplied(live);
  if (text == nullptr) return Fail(ErrorCode::kNotFound, "no last applied annotation");
  FLYBALL_TRY(CheckAgainstSchema(scope.schema, live, Duplicates::kRefused));
  FLYBALL_TRY(const Json applied, Json::Parse(*text));
  const Json* version = applied.Find("apiVersion");
  if (version == nullptr || *version != Json(scope.api_version)) {
    return Fail(ErrorCode::kInvalid, "the last applied object is of another version");
  }
  FLYBALL_TRY(CheckAgainstSchema(scope.schema, applied, Duplicates::kRefused));
  FLYBALL_TRY(FieldSet fields, FieldsOf(scope.schema, applied));
  FLYBALL_TRY(const Comparison changed, Compare(scope.schema, applied, live));
  fields.Remove(changed.modified);
  fields.Remove(changed.added);
  fields.Remove(changed.removed);
  return fields;
}

}  // namespace

void ForgiveLastApplied(const FieldScope& scope, const Json& live,
                        std::vector<Conflict>& conflicts) {
  const Result<FieldSet> own = StillAsApplied(scope, live);
  if (!own) return;
  std::erase_if(conflicts, [&](const Conflict& conflict) { return own->Has(conflict.path); });
}

bool HasLastApplied(const Json& object) { return LastApplied(object) != nullptr; }

void UpdateLastApplied(Json& object, const Json& applied) {
  Json::Object* annotations = Annotations(object);
  if (annotations == nullptr || !HasLastApplied(object)) return;
  Json said = applied;
  if (Json::Object* own = Annotations(said)) own->erase(kLastApplied);
  annotations->insert_or_assign(kLastApplied, said.ToString() + "\n");
  std::size_t bytes = 0;
  for (const auto& [name, value] : *annotations) {
    const std::string* text = value.If<std::string>();
    bytes += name.size() + (text != nullptr ? text->size() : 0);
  }
  if (bytes > kMostAnnotationBytes) annotations->erase(kLastApplied);
}

}  // namespace flyball::sandbox::apply

#include "flyball/api/strategic_merge.h"

#include "flyball/api/internal/json_place.h"
#include "flyball/api/internal/patch_schema.h"
#include "flyball/api/internal/strategic_apply.h"
#include "flyball/api/internal/strategic_conflict.h"
#include "flyball/api/internal/strategic_diff.h"

namespace flyball::api {
namespace {

const JsonPlace kRoot;

Result<Json::Object> AsObject(const Json& document, std::string_view what) {
  if (document.IsNull()) return Json::Object();
  if (const auto* object = document.If<Json::Object>()) return *object;
  return Fail(ErrorCode::kBadRequest, std::string(what) + " is not an object");
}

/// "metadata.name" is touched if the patch has a member `metadata` with a member `name`.
Result<> CheckUntouched(const Json& patch, const UntouchedFields& untouched) {
  for (const std::string_view field : untouched) {
    const Json* place = &patch;
    std::string_view rest = field;
    while (place && !rest.empty()) {
      const std::size_t dot = std::min(rest.find('.'), rest.size());
      place = place->Find(rest.substr(0, dot));
      rest.remove_prefix(std::min(dot + 1, rest.size()));
    }
    if (place) return Fail(ErrorCode::kForbidden, std::string(field), "may not be changed");
  }
  return {};
}

}  // namespace

Result<Json> CreateStrategicMergePatch(const Json& from, const Json& to, const TypeInfo& type,
                                       const UntouchedFields& untouched) {
  FLYBALL_TRY(const Json::Object before, AsObject(from, "what a patch starts from"));
  FLYBALL_TRY(const Json::Object after, AsObject(to, "what a patch leads to"));
  FLYBALL_TRY(Json::Object difference,
              StrategicDiffer({}).Objects(before, after, PatchSchema(type), kRoot));
  Json patch = std::move(difference);
  FLYBALL_TRY(CheckUntouched(patch, untouched));
  return patch;
}

Result<Json> ApplyStrategicMergePatch(const Json& document, const Json& patch,
                                      const TypeInfo& type) {
  FLYBALL_TRY(Json::Object patched, AsObject(document, "the document"));
  FLYBALL_TRY(Json::Object changes, AsObject(patch, "the patch"));
  const StrategicMerger merger(StrategicMerger::Into::kDocument);
  FLYBALL_TRY(merger.Objects(patched, std::move(changes), PatchSchema(type), kRoot));
  return Json(std::move(patched));
}

Result<Json> CreateThreeWayMergePatch(const ThreeWay& documents, const TypeInfo& type,
                                      OnConflict on_conflict, const UntouchedFields& untouched) {
  const PatchSchema schema(type);
  FLYBALL_TRY(const Json::Object original, AsObject(documents.original, "original"));
  FLYBALL_TRY(const Json::Object modified, AsObject(documents.modified, "modified"));
  FLYBALL_TRY(const Json::Object current, AsObject(documents.current, "current"));

  // What is asked for and not there is set. What is no longer asked for is deleted; what somebody
  // else put there stays, since it was in no original.
  FLYBALL_TRY(Json::Object wanted,
              StrategicDiffer({.deletions = false}).Objects(current, modified, schema, kRoot));
  FLYBALL_TRY(Json::Object combined,
              StrategicDiffer({.changes = false}).Objects(original, modified, schema, kRoot));
  const StrategicMerger merger(StrategicMerger::Into::kPatch);
  FLYBALL_TRY(merger.Objects(combined, std::move(wanted), schema, kRoot));
  Json patch = std::move(combined);
  FLYBALL_TRY(CheckUntouched(patch, untouched));
  if (on_conflict == OnConflict::kOverwrite) return patch;

  FLYBALL_TRY(const Json::Object others,
              StrategicDiffer({.orders = false}).Objects(original, current, schema, kRoot));
  FLYBALL_TRY(const bool conflict,
              PatchesConflict(*patch.If<Json::Object>(), others, schema, kRoot));
  if (conflict) {
    return Fail(ErrorCode::kConflict,
                "the patch " + patch.ToString() +
                    " conflicts with what others changed: " + Json(others).ToString());
  }
  return patch;
}

Result<Json> CreateStrategicMergePatch(const AnyObject& from, const AnyObject& to,
                                       const UntouchedFields& untouched) {
  if (&from.type() != &to.type()) {
    return Fail(ErrorCode::kInvalid, "a patch is made between two objects of one kind");
  }
  FLYBALL_TRY(const Json before, ToJson(from.get(), from.type()));
  FLYBALL_TRY(const Json after, ToJson(to.get(), to.type()));
  return CreateStrategicMergePatch(before, after, from.type(), untouched);
}

Result<AnyObject> ApplyStrategicMergePatch(const AnyObject& object, const Json& patch) {
  FLYBALL_TRY(const Json before, ToJson(object.get(), object.type()));
  FLYBALL_TRY(const Json after, ApplyStrategicMergePatch(before, patch, object.type()));
  AnyObject patched(object.type());
  FLYBALL_TRY(DecodeJson(after.ToString(), object.type(), patched.get()));
  return patched;
}

}  // namespace flyball::api

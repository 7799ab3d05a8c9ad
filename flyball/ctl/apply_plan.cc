#include "flyball/ctl/apply_plan.h"

#include <utility>

#include "flyball/api/merge_patch.h"
#include "flyball/ctl/error_text.h"
#include "flyball/ctl/json_field.h"

namespace flyball::ctl {
namespace {

using api::Json;

enum class Keep : bool { kNulls, kValues };

/// A merge patch with only what it removes, or only what it sets.
Json::Object Part(const Json::Object& patch, Keep keep) {
  Json::Object part;
  for (const auto& [name, value] : patch) {
    const auto* const members = value.If<Json::Object>();
    if (members != nullptr && !members->empty()) {
      Json::Object inner = Part(*members, keep);
      if (!inner.empty()) part[name] = std::move(inner);
    } else if (value.IsNull() == (keep == Keep::kNulls)) {
      part[name] = value;
    }
  }
  return part;
}

/// Puts one patch on top of another; what it removes stays removed.
void Combine(Json::Object& patch, const Json::Object& upper) {
  for (const auto& [name, value] : upper) {
    Json* const lower = patch.find(name);
    auto* const inner = lower == nullptr ? nullptr : lower->If<Json::Object>();
    const auto* const members = value.If<Json::Object>();
    if (inner != nullptr && members != nullptr) {
      Combine(*inner, *members);
    } else {
      patch[name] = value;
    }
  }
}

Result<Json> OriginalOf(const Json& current) {
  const std::string text = TextAt(current, {"metadata", "annotations", kLastApplied});
  if (text.empty()) return Json();
  return Json::Parse(text);
}

}  // namespace

Json WithLastApplied(Json object) {
  RemoveField(object, {"metadata", "annotations", kLastApplied});
  Json& annotations = MakeField(object, {"metadata", "annotations"});
  if (annotations.If<Json::Object>() == nullptr) annotations = Json::Object();
  std::string text = object.ToString() + "\n";
  MakeField(object, {"metadata", "annotations", kLastApplied}) = std::move(text);
  return object;
}

bool HasLastApplied(const Json& object) {
  return FieldAt(object, {"metadata", "annotations", kLastApplied}) != nullptr;
}

Json WithoutNulls(Json object) {
  if (auto* members = object.If<Json::Object>()) {
    Json::Object kept;
    for (auto& [name, value] : *members) {
      if (!value.IsNull()) kept[name] = WithoutNulls(std::move(value));
    }
    return kept;
  }
  if (auto* list = object.If<Json::Array>()) {
    for (Json& each : *list) each = WithoutNulls(std::move(each));
  }
  return object;
}

Result<Json> CreateThreeWayMergePatch(const api::ThreeWay& documents) {
  // A merge patch has no way to set a member to null, so that a null asks for nothing to be there.
  const Json::Object& wanted = MembersAt(documents.modified, {});
  const Json modified = WithoutNulls(documents.modified);
  const Json original = documents.original.IsNull() ? Json::Object() : documents.original;
  FLYBALL_TRY(const Json change, api::CreateMergePatch(WithoutNulls(documents.current), modified));
  FLYBALL_TRY(const Json removal, api::CreateMergePatch(WithoutNulls(original), modified));
  Json::Object patch = Part(MembersAt(removal, {}), Keep::kNulls);
  Combine(patch, Part(wanted, Keep::kNulls));
  Combine(patch, Part(MembersAt(change, {}), Keep::kValues));
  for (const std::string_view fixed : {"apiVersion", "kind"}) {
    if (patch.contains(fixed)) {
      return std::unexpected(UsageError("At least one of apiVersion, kind and name was changed"));
    }
  }
  return patch;
}

Result<client::Patch> PlanApply(const Json& wanted, const Json& current, const api::TypeInfo* type,
                                api::OnConflict on_conflict) {
  FLYBALL_TRY(Json original, OriginalOf(current));
  const api::ThreeWay documents{
      .original = std::move(original), .modified = WithLastApplied(wanted), .current = current};
  if (type == nullptr) {
    FLYBALL_TRY(const Json patch, CreateThreeWayMergePatch(documents));
    return client::Patch::Merge(patch);
  }
  FLYBALL_TRY(const Json patch, api::CreateThreeWayMergePatch(documents, *type, on_conflict));
  return client::Patch::Strategic(patch);
}

}  // namespace flyball::ctl

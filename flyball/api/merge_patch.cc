#include "flyball/api/merge_patch.h"

#include "flyball/api/internal/json_equality.h"

namespace flyball::api {
namespace {

/// Whether a null stands where a patch would carry it and so delete instead of set.
bool HasNullMember(const Json& value) {
  const auto* object = value.If<Json::Object>();
  if (!object) return false;
  for (const auto& [name, member] : *object) {
    if (member.IsNull() || HasNullMember(member)) return true;
  }
  return false;
}

Result<> AddDifference(const Json::Object& from, const Json::Object& to, const std::string& path,
                       Json::Object& patch) {
  for (const auto& [name, before] : from) {
    if (!to.contains(name)) patch[name] = Json();
  }
  for (const auto& [name, after] : to) {
    const Json* before = from.find(name);
    if (before && SameJson(*before, after)) continue;
    const std::string here = path.empty() ? name : path + "." + name;
    const auto* inner_before = before ? before->If<Json::Object>() : nullptr;
    const auto* inner_after = after.If<Json::Object>();
    if (inner_before && inner_after) {
      Json::Object inner;
      FLYBALL_TRY(AddDifference(*inner_before, *inner_after, here, inner));
      patch[name] = std::move(inner);
      continue;
    }
    if (after.IsNull() || HasNullMember(after)) {
      return Fail(ErrorCode::kInvalid, here, "a merge patch cannot set null");
    }
    patch[name] = after;
  }
  return {};
}

}  // namespace

/// DIVERGES: upstream also makes patches that do not lead to `to`: it reads whole numbers as
/// float64 and so misses changes beyond 2^53, sets members to null, takes null for an empty object,
/// and makes of two lists a list of patches.
Result<Json> CreateMergePatch(const Json& from, const Json& to) {
  const auto* before = from.If<Json::Object>();
  const auto* after = to.If<Json::Object>();
  if (!before || !after) {
    return Fail(ErrorCode::kInvalid, "a merge patch is made between two objects");
  }
  Json::Object patch;
  FLYBALL_TRY(AddDifference(*before, *after, "", patch));
  return Json(std::move(patch));
}

/// DIVERGES: upstream refuses patches that are null or a scalar, and takes nulls out of the objects
/// in a list, most of the time; RFC 7386 says what the former mean, and leaves lists alone.
Json ApplyMergePatch(const Json& document, const Json& patch) {
  const auto* changes = patch.If<Json::Object>();
  if (!changes) return patch;
  const auto* object = document.If<Json::Object>();
  Json::Object result = object ? *object : Json::Object();
  for (const auto& [name, change] : *changes) {
    if (change.IsNull()) {
      result.erase(name);
    } else {
      const Json* before = result.find(name);
      result[name] = ApplyMergePatch(before ? *before : Json(), change);
    }
  }
  return result;
}

}  // namespace flyball::api

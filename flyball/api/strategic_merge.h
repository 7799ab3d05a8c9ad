#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "flyball/api/json.h"
#include "flyball/api/json_decode.h"
#include "flyball/api/object.h"
#include "flyball/api/type_info.h"
#include "flyball/base/result.h"

/// Strategic merge patches: as JSON merge patches, but a list whose field says so is merged element
/// by element, objects by their merge key. Beside what changes, a patch holds directives: `$patch`
/// (replace or delete this object or element), `$deleteFromPrimitiveList/x`, `$setElementOrder/x`
/// and `$retainKeys`. Patches are byte for byte those that upstream makes, and are accepted and
/// refused as upstream's API server does. A patch that is refused is kBadRequest where a directive
/// is malformed, else kInvalid; the error's path says where.
///
/// Documents and patches are objects; null counts as an empty one.
namespace flyball::api {

/// Fields that a patch may not touch, "kind" or "metadata.name": if the finished patch does, there
/// is none, and the error is kForbidden.
using UntouchedFields = std::vector<std::string_view>;

/// The patch that turns `from` into `to`; empty if they are equal, save for an order of lists that
/// are merged.
Result<Json> CreateStrategicMergePatch(const Json& from, const Json& to, const TypeInfo& type,
                                       const UntouchedFields& untouched = {});

/// What a patch makes of a document of the type.
Result<Json> ApplyStrategicMergePatch(const Json& document, const Json& patch,
                                      const TypeInfo& type);

/// The three documents of an apply.
struct ThreeWay {
  Json original;  ///< what was asked for the last time
  Json modified;  ///< what is asked for now
  Json current;   ///< what there is
};

enum class OnConflict : std::uint8_t {
  kOverwrite,
  kFail,  ///< kConflict where `current` changed something from `original` in another way
};

/// The patch for `current` that brings what changed from `original` to `modified` and whatever else
/// `modified` says, and leaves alone what it never said.
Result<Json> CreateThreeWayMergePatch(const ThreeWay& documents, const TypeInfo& type,
                                      OnConflict on_conflict,
                                      const UntouchedFields& untouched = {});

/// The same for objects of a type:
///   FLYBALL_TRY(const Json patch, CreateStrategicMergePatch(before, after));
template <typename T>
Result<Json> CreateStrategicMergePatch(const T& from, const T& to,
                                       const UntouchedFields& untouched = {}) {
  FLYBALL_TRY(const Json before, ToJson(from));
  FLYBALL_TRY(const Json after, ToJson(to));
  return CreateStrategicMergePatch(before, after, T::kType, untouched);
}

template <typename T>
Result<T> ApplyStrategicMergePatch(const T& object, const Json& patch) {
  FLYBALL_TRY(const Json before, ToJson(object));
  FLYBALL_TRY(const Json after, ApplyStrategicMergePatch(before, patch, T::kType));
  return DecodeJson<T>(after.ToString());
}

/// For objects whose kind is known at run time. Both must be of one kind.
Result<Json> CreateStrategicMergePatch(const AnyObject& from, const AnyObject& to,
                                       const UntouchedFields& untouched = {});
Result<AnyObject> ApplyStrategicMergePatch(const AnyObject& object, const Json& patch);

}  // namespace flyball::api

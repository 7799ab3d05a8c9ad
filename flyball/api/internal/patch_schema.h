#pragma once

#include <string_view>

#include "flyball/api/internal/json_place.h"
#include "flyball/api/type_info.h"
#include "flyball/base/result.h"

namespace flyball::api {

struct PatchField;

/// What strategic merge asks of the tables: how a member is merged, and of which type it is, for
/// the members inside. What has no members that a table names (a map, a leaf) refuses every name.
class PatchSchema {
 public:
  explicit PatchSchema(const TypeInfo& type) : message_(&type) {}

  /// For a member whose value is an object; `at` is where that object is.
  Result<PatchField> ForObject(std::string_view name, const JsonPlace& at) const;
  /// For a member whose value is a list; what is inside are then its elements.
  Result<PatchField> ForList(std::string_view name, const JsonPlace& at) const;

 private:
  explicit PatchSchema(Kind leaf) : leaf_(leaf) {}
  static PatchSchema OfElement(const Field& field);
  Result<const Field*> Find(std::string_view name, const JsonPlace& at) const;

  const TypeInfo* message_ = nullptr;
  Kind leaf_ = Kind::kBool;  ///< where there is no message
};

struct PatchField {
  PatchSchema inside;
  bool merges = false;        ///< lists: element by element
  bool replaces = false;      ///< objects: as a whole
  bool retains_keys = false;  ///< objects: a patch lists the members that stay
  std::string_view merge_key = {};
};

}  // namespace flyball::api

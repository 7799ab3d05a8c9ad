#include "flyball/api/internal/strategic_conflict.h"

#include <algorithm>
#include <map>
#include <string>

#include "flyball/api/internal/go_text.h"
#include "flyball/api/internal/merge_list.h"

namespace flyball::api {
namespace {

Result<bool> ListsConflict(const Json::Array& a, const Json::Array& b, const PatchField& field,
                           const JsonPlace& at);
Result<bool> MembersConflict(const Json::Object& a, const Json::Object& b,
                             const PatchSchema& schema, const JsonPlace& at);

Result<bool> ObjectsConflict(const Json::Object& a, const Json::Object& b, const PatchField& field,
                             const JsonPlace& at) {
  const Json* left = a.find(kPatchDirective);
  const Json* right = b.find(kPatchDirective);
  if ((left != nullptr) != (right != nullptr)) return true;
  if (left) {
    FLYBALL_TRY(const bool same, SameKey(*left, *right, at));
    if (!same) return true;
  }
  if (field.replaces) return false;
  return MembersConflict(a, b, field.inside, at);
}

/// `field` is that of `a`, whatever `b` is.
Result<bool> ValuesConflict(const Json& a, const Json& b, const PatchField& field,
                            const JsonPlace& at) {
  if (FormOf(a) != FormOf(b)) return true;
  if (const auto* object = a.If<Json::Object>()) {
    return ObjectsConflict(*object, *b.If<Json::Object>(), field, at);
  }
  if (const auto* list = a.If<Json::Array>()) {
    return ListsConflict(*list, *b.If<Json::Array>(), field, at);
  }
  return a != b;
}

/// The elements of a list that is merged, by their keys.
Result<std::map<std::string, const Json*>> ByKey(const Json::Array& list,
                                                 std::string_view merge_key, const JsonPlace& at) {
  FLYBALL_TRY(const Json::Array keys, KeysOf(list, merge_key, at));
  std::map<std::string, const Json*> elements;
  for (std::size_t i = 0; i < list.size(); ++i) elements[GoStringText(keys[i])] = &list[i];
  return elements;
}

Json::Array SortedScalars(Json::Array list) {
  list.resize(DropRepeats(list));
  std::ranges::sort(list, {}, GoText);
  return list;
}

Result<bool> MergedListsConflict(const Json::Array& a, const Json::Array& b,
                                 const PatchField& field, const JsonPlace& at) {
  FLYBALL_TRY(const auto left, ByKey(a, field.merge_key, at));
  FLYBALL_TRY(const auto right, ByKey(b, field.merge_key, at));
  for (const auto& [key, element] : left) {
    const auto other = right.find(key);
    if (other == right.end()) continue;
    FLYBALL_TRY(const bool conflict,
                ValuesConflict(*element, *other->second, {.inside = field.inside}, at.Member(key)));
    if (conflict) return true;
  }
  return false;
}

/// DIVERGES: upstream sorts lists of scalars in the very patch that it goes on to return, and so
/// changes the order of arguments, say, that the patch should set.
Result<bool> ListsConflict(const Json::Array& a, const Json::Array& b, const PatchField& field,
                           const JsonPlace& at) {
  FLYBALL_TRY(const JsonForm form, ElementForm(a, b, at));
  const bool scalars = form != JsonForm::kObject;
  if (field.merges) {
    // Scalars that are merged get along by definition.
    if (scalars) return false;
    return MergedListsConflict(a, b, field, at);
  }
  if (a.size() != b.size()) return true;
  const Json::Array left = scalars ? SortedScalars(a) : a;
  const Json::Array right = scalars ? SortedScalars(b) : b;
  // PARITY: `b` may go on once its repetitions are taken out, `a` may not.
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (i == right.size()) {
      return at.Fail(ErrorCode::kInvalid, "has elements that are repeated in the other patch");
    }
    FLYBALL_TRY(const bool conflict,
                ValuesConflict(left[i], right[i], {.inside = field.inside}, at.Element(i)));
    if (conflict) return true;
  }
  return false;
}

Result<bool> MembersConflict(const Json::Object& a, const Json::Object& b,
                             const PatchSchema& schema, const JsonPlace& at) {
  for (const auto& [name, left] : a) {
    const Json* right = b.find(name);
    if (!right || name == kPatchDirective || name == kRetainKeysDirective) continue;
    PatchField field = {.inside = schema};
    if (left.If<Json::Array>()) {
      FLYBALL_TRY(field, schema.ForList(name, at));
    } else if (left.If<Json::Object>()) {
      FLYBALL_TRY(field, schema.ForObject(name, at));
    }
    FLYBALL_TRY(const bool conflict, ValuesConflict(left, *right, field, at.Member(name)));
    if (conflict) return true;
  }
  return false;
}

}  // namespace

Result<bool> PatchesConflict(const Json::Object& a, const Json::Object& b,
                             const PatchSchema& schema, const JsonPlace& at) {
  return ObjectsConflict(a, b, {.inside = schema}, at);
}

}  // namespace flyball::api

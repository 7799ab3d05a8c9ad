#include "flyball/api/internal/strategic_apply.h"

#include <set>

#include "flyball/api/internal/merge_list.h"

namespace flyball::api {

/// What came of two lists.
struct StrategicMerger::Merged {
  Json::Array elements;
  Json::Array keys_before;  ///< the keys of the list as it was, for the order
};

namespace {

/// The list that "$setElementOrder/containers" speaks of.
Result<std::string> ListOf(std::string_view directive, std::string_view prefix,
                           const JsonPlace& at) {
  const std::size_t slash = directive.find('/');
  if (slash == std::string_view::npos || directive.substr(0, slash) != prefix) {
    return at.Member(directive).Fail(ErrorCode::kBadRequest,
                                     "should be " + std::string(prefix) + "/, then a list's name");
  }
  return std::string(directive.substr(slash + 1));
}

/// Members that are null go, at any depth; elements that are null stay.
void DropNulls(Json& value) {
  if (auto* array = value.If<Json::Array>()) {
    for (Json& element : *array) DropNulls(element);
  } else if (auto* object = value.If<Json::Object>()) {
    Json::Object kept;
    for (auto& [name, member] : *object) {
      if (member.IsNull()) continue;
      DropNulls(member);
      kept[name] = std::move(member);
    }
    *object = std::move(kept);
  }
}

/// Objects with a $patch go, at any depth. False if the value is one itself.
bool DropDirected(Json& value) {
  if (auto* array = value.If<Json::Array>()) {
    Json::Array kept;
    for (Json& element : *array) {
      if (DropDirected(element)) kept.push_back(std::move(element));
    }
    *array = std::move(kept);
  } else if (auto* object = value.If<Json::Object>()) {
    if (object->contains(kPatchDirective)) return false;
    Json::Object kept;
    for (auto& [name, member] : *object) {
      if (DropDirected(member)) kept[name] = std::move(member);
    }
    *object = std::move(kept);
  }
  return true;
}

Result<> CarryOutDirective(Json::Object& document, Json::Object patch, const JsonPlace& at) {
  const Json directive = *patch.find(kPatchDirective);
  if (directive == Json("replace")) {
    patch.erase(kPatchDirective);
    document = std::move(patch);
    return {};
  }
  if (directive == Json("delete")) {
    document.clear();
    return {};
  }
  return at.Member(kPatchDirective)
      .Fail(ErrorCode::kInvalid, directive.ToString() + " is neither replace nor delete");
}

/// The elements of a patch must be in the order that it sets, and nothing in it but what the order
/// names; deletions are not asked.
Result<> CheckOrder(const Json::Array& patch, const Json::Array& order, std::string_view merge_key,
                    const JsonPlace& at) {
  if (patch.empty() || order.empty()) return {};
  std::size_t next = 0;
  for (const Json& element : patch) {
    if (!merge_key.empty() && !element.If<Json::Object>()) {
      return at.Fail(ErrorCode::kInvalid, "not a list of objects");
    }
    if (!merge_key.empty() && IsDeletion(element)) continue;
    // PARITY: an element with another directive is skipped, but only while there is order left.
    if (element.Find(kPatchDirective) && next < order.size()) continue;
    for (bool found = false; !found; ++next) {
      if (next == order.size()) {
        return at.Fail(ErrorCode::kInvalid, "is not in the order that its patch sets");
      }
      const Json* key = &element;
      const Json* ordered = &order[next];
      if (!merge_key.empty()) {
        key = element.Find(merge_key);
        ordered = ordered->Find(merge_key);
        if (!key || !ordered) {
          return at.Fail(ErrorCode::kInvalid, "an element without " + std::string(merge_key));
        }
      }
      FLYBALL_TRY(found, SameKey(*key, *ordered, at));
    }
  }
  return {};
}

/// Parts a merged list into what `named` has, in that order, and the others, in the order of
/// `before`; and puts it together again.
Result<Json::Array> Arrange(Json::Array merged, const Json::Array& keys, const Json::Array& named,
                            const Json::Array& before, const JsonPlace& at) {
  const KeyIndex named_index(named);
  const KeyIndex before_index(before);
  KeyedList patched;
  KeyedList server_only;
  for (std::size_t i = 0; i < merged.size(); ++i) {
    FLYBALL_TRY(const auto position, named_index.Find(keys[i], at));
    (position ? patched : server_only).Add(std::move(merged[i]), keys[i]);
  }
  FLYBALL_TRY(patched, InOrder(std::move(patched), named_index, at));
  FLYBALL_TRY(server_only, InOrder(std::move(server_only), before_index, at));
  return Interleave(std::move(server_only), std::move(patched), before_index, at);
}

/// What a patch does to the elements of a list.
struct ElementChanges {
  Json::Array plain;  ///< to be merged, or added
  KeyIndex deleted;
  bool replaces = false;  ///< what is plain is all that stays
};

Result<ElementChanges> SortOut(Json::Array patch, std::string_view merge_key, const JsonPlace& at) {
  ElementChanges changes;
  for (Json& element : patch) {
    const Json* directive = element.Find(kPatchDirective);
    if (!directive) {
      changes.plain.push_back(std::move(element));
    } else if (IsDeletion(element)) {
      FLYBALL_TRY(const Json::Array keys, KeysOf({element}, merge_key, at));
      changes.deleted.Add(keys.front());
    } else if (*directive == Json("replace")) {
      changes.replaces = true;
    } else {
      return at.Member(kPatchDirective)
          .Fail(ErrorCode::kInvalid,
                directive->ToString() + ", of an element, is neither replace nor delete");
    }
  }
  return changes;
}

/// Returns the keys of the elements that stay and have one.
Result<Json::Array> DeleteElements(Json::Array& list, const KeyIndex& deleted,
                                   std::string_view merge_key, const JsonPlace& at) {
  Json::Array kept;
  Json::Array keys;
  for (Json& element : list) {
    if (const Json* key = element.Find(merge_key)) {
      FLYBALL_TRY(const auto found, deleted.Find(*key, at));
      if (found) continue;
      keys.push_back(*key);
    }
    kept.push_back(std::move(element));
  }
  list = std::move(kept);
  return keys;
}

/// Scalars are their own keys; for objects a merge key must be known.
Result<Json::Array> KeysFor(const Json::Array& list, std::string_view merge_key,
                            const JsonPlace& at) {
  if (!merge_key.empty()) return KeysOf(list, merge_key, at);
  for (const Json& element : list) {
    if (element.If<Json::Object>() || element.If<Json::Array>()) {
      return at.Fail(ErrorCode::kInvalid, "a list or an object cannot be a key");
    }
  }
  return list;
}

}  // namespace

Result<> StrategicMerger::Objects(Json::Object& document, Json::Object patch,
                                  const PatchSchema& schema, const JsonPlace& at) const {
  if (patch.contains(kPatchDirective)) return CarryOutDirective(document, std::move(patch), at);
  FLYBALL_TRY(RetainKeys(document, patch, at));
  std::vector<std::string> orders;
  for (const auto& [name, value] : patch) {
    if (name.starts_with(kSetOrderPrefix)) orders.push_back(name);
  }
  for (const std::string& directive : orders) {
    FLYBALL_TRY(Ordered(document, patch, directive, schema, at));
  }
  // Deletions come last; upstream takes them as they come out of Go's map.
  for (const bool deletes : {false, true}) {
    for (auto& [name, change] : patch) {
      if (name.starts_with(kDeleteListPrefix) != deletes) continue;
      FLYBALL_TRY(Member(document, name, std::move(change), schema, at));
    }
  }
  return {};
}

Result<> StrategicMerger::RetainKeys(Json::Object& document, Json::Object& patch,
                                     const JsonPlace& at) const {
  const Json* found = patch.find(kRetainKeysDirective);
  if (!found) return {};
  const Json directive = *found;
  patch.erase(kRetainKeysDirective);
  const JsonPlace here = at.Member(kRetainKeysDirective);
  if (into_ == Into::kPatch) {
    const Json* other = document.find(kRetainKeysDirective);
    if (other && *other != directive) {
      return here.Fail(ErrorCode::kInvalid, "two patches retain different keys");
    }
    document[kRetainKeysDirective] = directive;
    return {};
  }

  const auto* names = directive.If<Json::Array>();
  if (!names) return here.Fail(ErrorCode::kBadRequest, "not a list");
  std::set<std::string, std::less<>> retained;
  for (const Json& name : *names) {
    if (name.If<Json::Array>() || name.If<Json::Object>()) {
      return here.Fail(ErrorCode::kBadRequest, "a list or an object cannot be a key");
    }
    if (const auto* text = name.If<std::string>()) retained.insert(*text);
  }
  for (const auto& [name, change] : patch) {
    const bool parallel = name.starts_with(kDeleteListPrefix) || name.starts_with(kSetOrderPrefix);
    if (!change.IsNull() && !parallel && !retained.contains(name)) {
      return here.Fail(ErrorCode::kBadRequest, "lacks " + name + ", which the patch changes");
    }
  }
  Json::Object kept;
  for (auto& [name, member] : document) {
    if (retained.contains(name)) kept[name] = std::move(member);
  }
  document = std::move(kept);
  return {};
}

/// Takes the directive, and the list of the patch that it speaks of, out of the patch.
Result<> StrategicMerger::Ordered(Json::Object& document, Json::Object& patch,
                                  const std::string& directive, const PatchSchema& schema,
                                  const JsonPlace& at) const {
  const JsonPlace here = at.Member(directive);
  const Json value = *patch.find(directive);
  patch.erase(directive);
  if (into_ == Into::kPatch) {
    const Json* other = document.find(directive);
    if (other && *other != value) {
      return here.Fail(ErrorCode::kBadRequest, "two patches set different orders");
    }
    document[directive] = value;
  }
  const auto* order = value.If<Json::Array>();
  if (!order) return here.Fail(ErrorCode::kInvalid, "not a list");
  FLYBALL_TRY(const std::string name, ListOf(directive, kSetOrderPrefix, at));

  const Json* before = document.find(name);
  const Json* change = patch.find(name);
  if ((before && !before->If<Json::Array>()) || (change && !change->If<Json::Array>())) {
    return at.Member(name).Fail(ErrorCode::kInvalid, "an order is set for what is not a list");
  }
  FLYBALL_TRY(const PatchField field, schema.ForList(name, at));
  const Json::Array* changes = change ? change->If<Json::Array>() : nullptr;
  if (changes) {
    FLYBALL_TRY(CheckOrder(*changes, *order, field.merge_key, at.Member(name)));
  }
  if (!before && !change) return {};
  FLYBALL_TRY(Json::Array arranged, OrderedLists(before ? before->If<Json::Array>() : nullptr,
                                                 changes, *order, field, at.Member(name)));
  document[name] = std::move(arranged);
  patch.erase(name);
  return {};
}

/// One of `before` and `changes` may be null.
Result<Json::Array> StrategicMerger::OrderedLists(const Json::Array* before,
                                                  const Json::Array* changes,
                                                  const Json::Array& order, const PatchField& field,
                                                  const JsonPlace& at) const {
  const Json::Array none;
  const Json::Array& list = before ? *before : none;
  const bool merges = before && changes && field.merges;
  Merged merged{.elements = {}, .keys_before = list};
  if (merges) {
    FLYBALL_TRY(merged, Lists(list, *changes, field, false, at));
  } else if (!changes) {
    merged.elements = list;
  } else if (before) {
    merged.elements = *changes;
  } else {
    Json added = *changes;
    DropDirected(added);
    merged.elements = std::move(*added.If<Json::Array>());
  }
  FLYBALL_TRY(const Json::Array keys, KeysFor(merged.elements, field.merge_key, at));
  FLYBALL_TRY(const JsonForm form, ElementForm(list, changes ? *changes : none, at));
  FLYBALL_TRY(const Json::Array named, KeysFor(order, field.merge_key, at));
  if (form == JsonForm::kObject) {
    FLYBALL_TRY(Json::Array keys_before, KeysOf(list, field.merge_key, at));
    if (!merges) merged.keys_before = std::move(keys_before);
  }
  return Arrange(std::move(merged.elements), keys, named, merged.keys_before, at);
}

Result<> StrategicMerger::Member(Json::Object& document, std::string_view name, Json change,
                                 const PatchSchema& schema, const JsonPlace& at) const {
  std::string target(name);
  const bool deletes = name.starts_with(kDeleteListPrefix);
  if (deletes) {
    if (into_ == Into::kPatch) {
      document[name] = std::move(change);
      return {};
    }
    FLYBALL_TRY(target, ListOf(name, kDeleteListPrefix, at));
    if (target.empty()) target = name;
  }
  if (change.IsNull()) {
    document.erase(target);
    if (into_ == Into::kDocument) return {};
  }
  Json* before = document.find(target);
  if (!before || FormOf(*before) != FormOf(change)) {
    if (deletes) return {};
    if (into_ == Into::kDocument) DropNulls(change);
    if (DropDirected(change)) {
      document[target] = std::move(change);
    } else {
      document.erase(target);
    }
    return {};
  }

  const JsonPlace here = at.Member(target);
  if (auto* object = before->If<Json::Object>()) {
    FLYBALL_TRY(const PatchField field, schema.ForObject(target, at));
    if (!field.replaces) {
      return Objects(*object, std::move(*change.If<Json::Object>()), field.inside, here);
    }
  } else if (auto* list = before->If<Json::Array>()) {
    FLYBALL_TRY(const PatchField field, schema.ForList(target, at));
    // Elements are deleted from a list whatever its strategy is.
    if (field.merges || deletes) {
      FLYBALL_TRY(Merged merged, Lists(std::move(*list), std::move(*change.If<Json::Array>()),
                                       field, deletes, here));
      *list = std::move(merged.elements);
      return {};
    }
  }
  *before = std::move(change);
  return {};
}

Result<StrategicMerger::Merged> StrategicMerger::Lists(Json::Array list, Json::Array patch,
                                                       const PatchField& field, bool deletes,
                                                       const JsonPlace& at) const {
  if (list.empty() && patch.empty()) return Merged{};
  FLYBALL_TRY(const JsonForm form, ElementForm(list, patch, at));
  if (form == JsonForm::kObject) return ObjectLists(std::move(list), std::move(patch), field, at);
  const bool removes = deletes && into_ == Into::kDocument;
  if (!removes && !field.merge_key.empty()) {
    return at.Fail(ErrorCode::kInvalid, "not a list of objects");
  }
  return Scalars(std::move(list), std::move(patch), removes, at);
}

Result<StrategicMerger::Merged> StrategicMerger::Scalars(Json::Array list, Json::Array patch,
                                                         bool deletes, const JsonPlace& at) const {
  if (deletes) {
    const KeyIndex unwanted(patch);
    Merged left;
    for (Json& element : list) {
      FLYBALL_TRY(const auto found, unwanted.Find(element, at));
      if (!found) left.elements.push_back(std::move(element));
    }
    return left;
  }
  Json::Array both = list;
  both.insert(both.end(), patch.begin(), patch.end());
  const std::size_t count = DropRepeats(both);
  // PARITY: with nothing to add, upstream takes the repeated ones out of the list that it takes the
  // order from.
  if (patch.empty()) list = both;
  both.resize(count);
  const Json::Array keys = both;
  FLYBALL_TRY(Json::Array arranged, Arrange(std::move(both), keys, patch, list, at));
  return Merged{.elements = std::move(arranged), .keys_before = std::move(list)};
}

Result<StrategicMerger::Merged> StrategicMerger::ObjectLists(Json::Array list, Json::Array patch,
                                                             const PatchField& field,
                                                             const JsonPlace& at) const {
  if (field.merge_key.empty()) {
    return at.Fail(ErrorCode::kInvalid, "a list of objects without a merge key cannot be merged");
  }
  FLYBALL_TRY(ElementChanges changes, SortOut(std::move(patch), field.merge_key, at));
  const std::size_t size_before = list.size();
  FLYBALL_TRY(Json::Array keys_before, DeleteElements(list, changes.deleted, field.merge_key, at));
  const std::size_t deleted = size_before - list.size();
  FLYBALL_TRY(const Json::Array named, KeysOf(changes.plain, field.merge_key, at));
  if (changes.replaces) {
    FLYBALL_TRY(Json::Array arranged, Arrange(std::move(changes.plain), named, {}, named, at));
    return Merged{.elements = std::move(arranged), .keys_before = std::move(keys_before)};
  }

  FLYBALL_TRY(Json::Array keys, KeysOf(list, field.merge_key, at));
  const Json::Array keys_left = keys;
  KeyIndex index(keys);
  for (std::size_t i = 0; i < named.size(); ++i) {
    Json& change = changes.plain[i];
    FLYBALL_TRY(const auto found, index.Find(named[i], at));
    if (found) {
      FLYBALL_TRY(Objects(*list[*found].If<Json::Object>(), std::move(*change.If<Json::Object>()),
                          field.inside, at.Element(*found)));
      continue;
    }
    list.push_back(std::move(change));
    keys.push_back(named[i]);
    index.Add(named[i]);
  }
  // PARITY: to an order that the patch sets, what it adds counts as having been there before, as
  // far as it fits into the room that deleted elements left.
  const std::size_t added = keys.size() - keys_left.size();
  const auto first_added = keys.begin() + static_cast<std::ptrdiff_t>(keys_left.size());
  keys_before.insert(keys_before.end(), first_added,
                     first_added + static_cast<std::ptrdiff_t>(std::min(added, deleted)));
  FLYBALL_TRY(Json::Array arranged, Arrange(std::move(list), keys, named, keys_left, at));
  return Merged{.elements = std::move(arranged), .keys_before = std::move(keys_before)};
}

}  // namespace flyball::api

#include "flyball/api/internal/strategic_diff.h"

#include <algorithm>
#include <vector>

#include "flyball/api/internal/go_text.h"
#include "flyball/api/internal/merge_list.h"

namespace flyball::api {

/// What goes into a patch for one list.
struct StrategicDiffer::ListPatch {
  Json::Array changes = {};    ///< under the list's own name
  Json::Array deletions = {};  ///< of scalars
  Json::Array order = {};
};

/// An element of a list, by the text that upstream sorts and matches it by.
struct StrategicDiffer::Entry {
  std::string text;
  const Json* element;
  const Json* key;
};

namespace {

/// Whether a member that is set goes.
bool DropsMember(const Json::Object& before, const Json::Object& after) {
  return std::ranges::any_of(before, [&](const auto& member) {
    return !member.second.IsNull() && !after.contains(member.first);
  });
}

/// PARITY: of elements with the same key the last comes first, as upstream's insertion sort leaves
/// them.
/// DIVERGES: beyond twelve elements upstream's sort leaves them in no order that can be told.
template <typename Entry>
std::vector<Entry> Sorted(const Json::Array& list, const Json::Array& keys) {
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < list.size(); ++i) {
    entries.push_back({GoText(keys[i]), &list[i], &keys[i]});
  }
  std::ranges::sort(entries, [](const Entry& a, const Entry& b) {
    const int compared = a.text.compare(b.text);
    return compared != 0 ? compared < 0 : a.element > b.element;
  });
  return entries;
}

/// The elements of a patch in the order of the list that it leads to.
Result<Json::Array> Arranged(Json::Array changes, Json::Array keys, const Json::Array& order,
                             const JsonPlace& at) {
  KeyedList list{.elements = std::move(changes), .keys = std::move(keys)};
  FLYBALL_TRY(list, InOrder(std::move(list), KeyIndex(order), at));
  return std::move(list.elements);
}

Result<bool> SameOrder(const Json::Array& before, const Json::Array& after, const JsonPlace& at) {
  if (before.size() != after.size()) return false;
  for (std::size_t i = 0; i < after.size(); ++i) {
    FLYBALL_TRY(const bool same, SameKey(before[i], after[i], at));
    if (!same) return false;
  }
  return true;
}

}  // namespace

Result<Json::Object> StrategicDiffer::Objects(const Json::Object& before, const Json::Object& after,
                                              const PatchSchema& schema, bool retains_keys,
                                              const JsonPlace& at) const {
  Json::Object patch;
  Json::Array retained;
  for (const auto& [name, value] : after) {
    if (retains_keys && !value.IsNull()) retained.emplace_back(name);
    if (const Json* old = before.find(name)) {
      FLYBALL_TRY(Member(name, *old, value, schema, at, patch));
    } else if (options_.changes) {
      patch[name] = value;
    }
  }
  if (options_.deletions) {
    for (const auto& [name, value] : before) {
      if (!after.contains(name)) patch[name] = Json();
    }
  }
  if (!retained.empty() && (!patch.empty() || DropsMember(before, after))) {
    patch[kRetainKeysDirective] = std::move(retained);
  }
  return patch;
}

Result<> StrategicDiffer::Member(const std::string& name, const Json& before, const Json& after,
                                 const PatchSchema& schema, const JsonPlace& at,
                                 Json::Object& patch) const {
  if (name == kPatchDirective) {
    if (!before.If<std::string>() || !after.If<std::string>()) {
      return at.Member(name).Fail(ErrorCode::kInvalid, "not a string");
    }
    if (before != after) patch[name] = after;
    return {};
  }
  if (FormOf(before) == FormOf(after)) {
    if (after.If<Json::Object>()) return ObjectMember(name, before, after, schema, at, patch);
    if (after.If<Json::Array>()) return ListMember(name, before, after, schema, at, patch);
  }
  Replace(name, before, after, patch);
  return {};
}

void StrategicDiffer::Replace(const std::string& name, const Json& before, const Json& after,
                              Json::Object& patch) const {
  if (options_.changes && before != after) patch[name] = after;
}

Result<> StrategicDiffer::ObjectMember(const std::string& name, const Json& before,
                                       const Json& after, const PatchSchema& schema,
                                       const JsonPlace& at, Json::Object& patch) const {
  const auto field = schema.ForObject(name, at);
  if (!field) {
    // What no table knows does not matter as long as it stays.
    if (before == after) return {};
    return std::unexpected(field.error());
  }
  if (field->replaces) {
    if (options_.changes) patch[name] = after;
    return {};
  }
  FLYBALL_TRY(Json::Object inner, Objects(*before.If<Json::Object>(), *after.If<Json::Object>(),
                                          field->inside, field->retains_keys, at.Member(name)));
  if (!inner.empty()) patch[name] = std::move(inner);
  return {};
}

Result<> StrategicDiffer::ListMember(const std::string& name, const Json& before, const Json& after,
                                     const PatchSchema& schema, const JsonPlace& at,
                                     Json::Object& patch) const {
  const auto field = schema.ForList(name, at);
  if (!field) {
    if (before == after) return {};
    return std::unexpected(field.error());
  }
  if (!field->merges) {
    Replace(name, before, after, patch);
    return {};
  }
  FLYBALL_TRY(ListPatch lists,
              Lists(*before.If<Json::Array>(), *after.If<Json::Array>(), *field, at.Member(name)));
  const auto add = [&](const std::string& key, Json::Array& list) {
    if (!list.empty()) patch[key] = std::move(list);
  };
  add(name, lists.changes);
  add(std::string(kDeleteListPrefix) + "/" + name, lists.deletions);
  add(std::string(kSetOrderPrefix) + "/" + name, lists.order);
  return {};
}

Result<StrategicDiffer::ListPatch> StrategicDiffer::Lists(const Json::Array& before,
                                                          const Json::Array& after,
                                                          const PatchField& field,
                                                          const JsonPlace& at) const {
  if (before.empty()) {
    return ListPatch{.changes = options_.changes ? after : Json::Array()};
  }
  FLYBALL_TRY(const JsonForm form, ElementForm(before, after, at));
  if (form == JsonForm::kObject) return ObjectLists(before, after, field, at);
  return Scalars(before, after, at);
}

Result<> StrategicDiffer::Element(const Entry& before, const Entry& after, const PatchField& field,
                                  const JsonPlace& at, Json::Array& changes,
                                  Json::Array& keys) const {
  FLYBALL_TRY(Json::Object change,
              Objects(*before.element->If<Json::Object>(), *after.element->If<Json::Object>(),
                      field.inside, field.retains_keys, at.Member(after.text)));
  if (change.empty()) return {};
  change[field.merge_key] = *after.key;
  changes.emplace_back(std::move(change));
  keys.push_back(*after.key);
  return {};
}

Result<StrategicDiffer::ListPatch> StrategicDiffer::ObjectLists(const Json::Array& before,
                                                                const Json::Array& after,
                                                                const PatchField& field,
                                                                const JsonPlace& at) const {
  FLYBALL_TRY(const Json::Array keys_before, KeysOf(before, field.merge_key, at));
  FLYBALL_TRY(const Json::Array keys_after, KeysOf(after, field.merge_key, at));
  const auto olds = Sorted<Entry>(before, keys_before);
  const auto news = Sorted<Entry>(after, keys_after);
  Json::Array changes;
  Json::Array keys;
  Json::Array deletions;
  auto old = olds.begin();
  auto fresh = news.begin();
  while (old != olds.end() || fresh != news.end()) {
    const bool both = old != olds.end() && fresh != news.end();
    if (both && old->text == fresh->text) {
      FLYBALL_TRY(Element(*old++, *fresh++, field, at, changes, keys));
    } else if (old == olds.end() || (both && fresh->text < old->text)) {
      if (options_.changes) {
        changes.push_back(*fresh->element);
        keys.push_back(*fresh->key);
      }
      ++fresh;
    } else {
      if (options_.deletions) {
        Json::Object deletion;
        deletion[field.merge_key] = *old->key;
        deletion[kPatchDirective] = "delete";
        deletions.emplace_back(std::move(deletion));
      }
      ++old;
    }
  }
  ListPatch patch;
  FLYBALL_TRY(patch.changes, Arranged(std::move(changes), std::move(keys), keys_after, at));
  FLYBALL_TRY(const bool same_order, SameOrder(keys_before, keys_after, at));
  patch.changes.insert(patch.changes.end(), deletions.begin(), deletions.end());
  const bool touched = !patch.changes.empty();
  if (options_.orders &&
      ((options_.changes && (touched || !same_order)) || (options_.deletions && touched))) {
    for (const Json& key : keys_after) {
      Json::Object named;
      named[field.merge_key] = key;
      patch.order.emplace_back(std::move(named));
    }
  }
  return patch;
}

Result<StrategicDiffer::ListPatch> StrategicDiffer::Scalars(const Json::Array& before,
                                                            const Json::Array& after,
                                                            const JsonPlace& at) const {
  const auto olds = Sorted<Entry>(before, before);
  const auto news = Sorted<Entry>(after, after);
  Json::Array sorted_before;
  for (const Entry& entry : olds) sorted_before.push_back(*entry.element);

  ListPatch patch;
  Json::Array added;
  auto old = olds.begin();
  auto fresh = news.begin();
  while (old != olds.end() || fresh != news.end()) {
    const bool both = old != olds.end() && fresh != news.end();
    if (both && old->text == fresh->text) {
      ++old;
      ++fresh;
    } else if (old == olds.end() || (both && fresh->text < old->text)) {
      if (options_.changes) added.push_back(*fresh->element);
      ++fresh;
    } else {
      if (options_.deletions) patch.deletions.push_back(*old->element);
      ++old;
    }
  }
  patch.deletions.resize(DropRepeats(patch.deletions));
  FLYBALL_TRY(patch.changes, Arranged(added, added, after, at));
  // PARITY: upstream has sorted the list before it asks whether anything changed, so that an order
  // is set for every list that is not sorted.
  const bool changed = sorted_before != after;
  if (options_.orders &&
      ((options_.deletions && !patch.deletions.empty()) || (options_.changes && changed))) {
    patch.order = after;
  }
  return patch;
}

}  // namespace flyball::api

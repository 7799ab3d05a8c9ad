#include "flyball/api/internal/merge_list.h"

#include <list>
#include <map>

namespace flyball::api {
namespace {

bool IsScalar(JsonForm form) { return form != JsonForm::kArray && form != JsonForm::kObject; }

/// Distinct for values that Go's == tells apart: 1 and 1.0 are two keys, 0.0 and -0.0 are one.
std::string Encoded(const Json& key) {
  if (const auto* number = key.If<double>()) {
    return "f" + Json(*number == 0 ? 0.0 : *number).ToString();
  }
  return key.ToString();
}

}  // namespace

bool IsDeletion(const Json& element) {
  const Json* directive = element.Find(kPatchDirective);
  return directive && *directive == Json("delete");
}

Result<JsonForm> ElementForm(const Json::Array& a, const Json::Array& b, const JsonPlace& at) {
  std::optional<JsonForm> form;
  for (const Json::Array* list : {&a, &b}) {
    for (const Json& element : *list) {
      const JsonForm found = FormOf(element);
      if (found == JsonForm::kNull) return at.Fail(ErrorCode::kInvalid, "null is no element");
      if (found == JsonForm::kArray) {
        return at.Fail(ErrorCode::kInvalid, "lists of lists cannot be patched");
      }
      if (form && found != *form) {
        return at.Fail(ErrorCode::kInvalid, "the elements are of different types");
      }
      form = found;
    }
  }
  if (!form) return at.Fail(ErrorCode::kInvalid, "no elements, neither before nor in the patch");
  return *form;
}

Result<Json::Array> KeysOf(const Json::Array& list, std::string_view merge_key,
                           const JsonPlace& at) {
  Json::Array keys;
  keys.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!list[i].If<Json::Object>()) {
      return at.Element(i).Fail(ErrorCode::kInvalid, "not an object");
    }
    const Json* key = list[i].Find(merge_key);
    if (!key) {
      return at.Element(i).Fail(ErrorCode::kInvalid,
                                "has no " + std::string(merge_key) + ", which is the merge key");
    }
    keys.push_back(*key);
  }
  return keys;
}

Result<bool> SameKey(const Json& a, const Json& b, const JsonPlace& at) {
  if (FormOf(a) != FormOf(b)) return false;
  if (!IsScalar(FormOf(a))) {
    return at.Fail(ErrorCode::kInvalid, "a list or an object cannot be a key");
  }
  return a == b;
}

void KeyIndex::Add(const Json& key) {
  const std::size_t position = size_++;
  if (key.If<Json::Array>()) {
    has_array_ = true;
  } else if (key.If<Json::Object>()) {
    has_object_ = true;
  } else {
    first_.try_emplace(Encoded(key), position);
  }
}

Result<std::optional<std::size_t>> KeyIndex::Find(const Json& key, const JsonPlace& at) const {
  if ((has_array_ && key.If<Json::Array>()) || (has_object_ && key.If<Json::Object>())) {
    return at.Fail(ErrorCode::kInvalid, "a list or an object cannot be a key");
  }
  if (!IsScalar(FormOf(key))) return std::nullopt;
  const auto found = first_.find(Encoded(key));
  if (found == first_.end()) return std::nullopt;
  return found->second;
}

/// PARITY: the order that comes out of this is in the patches that upstream makes.
std::size_t DropRepeats(Json::Array& list) {
  std::size_t count = list.size();
  for (std::size_t i = 0; i + 1 < count; ++i) {
    for (std::size_t j = i + 1; j < count;) {
      if (list[i] == list[j]) {
        list[j] = list[--count];
      } else {
        ++j;
      }
    }
  }
  return count;
}

/// PARITY: upstream sorts with a comparison that calls an element first wherever one of the two is
/// not in the order. Up to its limit for insertion sort, twenty elements, that is: an element that
/// the order does not name goes to the front, and one that it does goes right behind the one that
/// it names before.
Result<KeyedList> InOrder(KeyedList list, const KeyIndex& order, const JsonPlace& at) {
  std::list<std::size_t> arranged;
  std::vector<std::size_t> deletions;
  std::map<std::size_t, std::list<std::size_t>::iterator> last_at;
  const bool sorts = list.elements.size() > 1;
  for (std::size_t i = 0; i < list.elements.size(); ++i) {
    if (IsDeletion(list.elements[i])) {
      deletions.push_back(i);
      continue;
    }
    std::optional<std::size_t> position;
    if (sorts) {
      FLYBALL_TRY(position, order.Find(list.keys[i], at));
    }
    if (!position) {
      arranged.push_front(i);
      continue;
    }
    const auto behind = last_at.upper_bound(*position);
    const auto place =
        behind == last_at.begin() ? arranged.begin() : std::next(std::prev(behind)->second);
    last_at[*position] = arranged.insert(place, i);
  }
  arranged.insert(arranged.end(), deletions.begin(), deletions.end());
  KeyedList sorted;
  for (const std::size_t i : arranged) {
    sorted.Add(std::move(list.elements[i]), std::move(list.keys[i]));
  }
  return sorted;
}

Result<Json::Array> Interleave(KeyedList server_only, KeyedList patched,
                               const KeyIndex& server_order, const JsonPlace& at) {
  Json::Array all;
  all.reserve(server_only.elements.size() + patched.elements.size());
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < server_only.elements.size() && j < patched.elements.size()) {
    FLYBALL_TRY(const auto left, server_order.Find(server_only.keys[i], at));
    FLYBALL_TRY(const auto right, server_order.Find(patched.keys[j], at));
    const bool server_first = left && right && *left < *right;
    all.push_back(std::move(server_first ? server_only.elements[i++] : patched.elements[j++]));
  }
  while (i < server_only.elements.size()) all.push_back(std::move(server_only.elements[i++]));
  while (j < patched.elements.size()) all.push_back(std::move(patched.elements[j++]));
  return all;
}

}  // namespace flyball::api

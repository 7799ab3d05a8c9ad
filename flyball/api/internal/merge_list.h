#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "flyball/api/internal/json_form.h"
#include "flyball/api/internal/json_place.h"
#include "flyball/api/json.h"
#include "flyball/base/result.h"

/// The lists of strategic merge: scalars, which are their own keys, or objects, which have the key
/// that the schema names. What stands where, and which element is which.
namespace flyball::api {

inline constexpr std::string_view kPatchDirective = "$patch";
inline constexpr std::string_view kRetainKeysDirective = "$retainKeys";
inline constexpr std::string_view kDeleteListPrefix = "$deleteFromPrimitiveList";
inline constexpr std::string_view kSetOrderPrefix = "$setElementOrder";

/// Whether an element of a patch says that its like is to be deleted.
bool IsDeletion(const Json& element);

/// The form that all elements of two lists have. Fails where they differ, where there are none, and
/// for lists of lists.
Result<JsonForm> ElementForm(const Json::Array& a, const Json::Array& b, const JsonPlace& at);

/// The keys of a list of objects, in its order.
Result<Json::Array> KeysOf(const Json::Array& list, std::string_view merge_key,
                           const JsonPlace& at);

/// Whether two keys are the same. Fails, as upstream does, for two lists and for two objects.
Result<bool> SameKey(const Json& a, const Json& b, const JsonPlace& at);

/// Where a key stands first.
class KeyIndex {
 public:
  KeyIndex() = default;
  explicit KeyIndex(const Json::Array& keys) {
    for (const Json& key : keys) Add(key);
  }

  void Add(const Json& key);
  /// Fails where upstream would have to compare lists with lists or objects with objects.
  Result<std::optional<std::size_t>> Find(const Json& key, const JsonPlace& at) const;

 private:
  std::unordered_map<std::string, std::size_t> first_;
  std::size_t size_ = 0;
  bool has_array_ = false;
  bool has_object_ = false;
};

/// Takes repeated scalars out: the last element moves into the place of one that is a repetition.
/// The list keeps its length; what counts is the first so many that are returned.
std::size_t DropRepeats(Json::Array& list);

/// Elements with their keys; for scalars the key is the element.
struct KeyedList {
  Json::Array elements;
  Json::Array keys;

  void Add(Json element, Json key) {
    elements.push_back(std::move(element));
    keys.push_back(std::move(key));
  }
};

/// Puts elements into the order in which `order` has their keys; elements that say they are
/// deletions come last.
Result<KeyedList> InOrder(KeyedList list, const KeyIndex& order, const JsonPlace& at);

/// What a patch names, with what only the server has put in between: an element of the server's
/// stands before the first of the patch's that came behind it in `server_order`.
Result<Json::Array> Interleave(KeyedList server_only, KeyedList patched,
                               const KeyIndex& server_order, const JsonPlace& at);

}  // namespace flyball::api

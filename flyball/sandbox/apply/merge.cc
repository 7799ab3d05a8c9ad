#include "flyball/sandbox/apply/merge.h"

#include <algorithm>
#include <optional>

#include "flyball/sandbox/apply/list_item.h"
#include "flyball/sandbox/apply/schema_check.h"
#include "flyball/sandbox/apply/type_form.h"

namespace flyball::sandbox::apply {
namespace {

/// The items of one side of a merge, in their order.
struct SideItem {
  PathElement element;
  const Json* value;
};

const SideItem* FindItem(const std::vector<SideItem>& items, const PathElement& element) {
  const auto at = std::ranges::find(items, element, &SideItem::element);
  return at != items.end() ? &*at : nullptr;
}

class Merger {
 public:
  /// Either side may be null: it has nothing at this place. Returns nothing where nothing is left.
  std::optional<Json> Walk(const TypeNode* type, const Json* live, const Json* applied) {
    if (type == nullptr) {
      complaints_.emplace_back("schema error: invalid atom: inlined");
      return std::nullopt;
    }
    const TypeForms forms_live = FormsOf(*type, live);
    const TypeForms forms_applied = FormsOf(*type, applied);
    if (applied == nullptr) return WalkForm(*type, FirstForm(forms_live), live, applied);
    if (live != nullptr && forms_live != forms_applied) {
      WalkForm(*type, FirstForm(forms_live), live, applied);  // for its complaints
    }
    return WalkForm(*type, FirstForm(forms_applied), live, applied);
  }

  std::vector<std::string>& complaints() { return complaints_; }

 private:
  std::optional<Json> WalkForm(const TypeNode& type, Form form, const Json* live,
                               const Json* applied);
  std::optional<Json> WalkMap(const TypeNode& type, const Json::Object* live,
                              const Json::Object* applied);
  std::optional<Json> WalkList(const TypeNode& type, const Json::Array* live,
                               const Json::Array* applied);
  Json::Array MergeItems(const TypeNode& type, const std::vector<SideItem>& live,
                         const std::vector<SideItem>& applied);
  std::vector<SideItem> ItemsOf(const TypeNode& type, const Json::Array* list,
                                Duplicates duplicates);

  std::vector<std::string> complaints_;
};

template <typename Container>
bool NothingIn(const Container* container) {
  return container == nullptr || container->empty();
}

std::optional<Json> Merger::WalkForm(const TypeNode& type, Form form, const Json* live,
                                     const Json* applied) {
  switch (form) {
    case Form::kMap:
      if (type.map_is_atomic || (NothingIn(AsMap(live)) && NothingIn(AsMap(applied)))) break;
      return WalkMap(type, AsMap(live), AsMap(applied));
    case Form::kList:
      if (type.list_is_atomic || (NothingIn(AsList(live)) && NothingIn(AsList(applied)))) break;
      return WalkList(type, AsList(live), AsList(applied));
    case Form::kScalar: {
      const std::string why_live = ScalarComplaint(type.scalar, live, "lhs: ");
      const std::string why_applied = ScalarComplaint(type.scalar, applied, "rhs: ");
      if (why_live.empty() || why_applied.empty()) break;
      complaints_.push_back(why_live);
      complaints_.push_back(why_applied);
      return std::nullopt;
    }
    case Form::kNone:
      complaints_.emplace_back("schema error: invalid atom: inlined");
      return std::nullopt;
  }
  return applied != nullptr ? *applied : *live;
}

std::optional<Json> Merger::WalkMap(const TypeNode& type, const Json::Object* live,
                                    const Json::Object* applied) {
  Json::Object merged;
  const auto put = [&](const std::string& name, const Json* of_live, const Json* of_applied) {
    if (std::optional<Json> value = Walk(type.TypeOfField(name), of_live, of_applied)) {
      merged.insert_or_assign(name, *std::move(value));
    }
  };
  if (live != nullptr) {
    for (const auto& [name, value] : *live) {
      put(name, &value, applied != nullptr ? applied->find(name) : nullptr);
    }
  }
  if (applied != nullptr) {
    for (const auto& [name, value] : *applied) {
      if (live == nullptr || live->find(name) == nullptr) put(name, nullptr, &value);
    }
  }
  if (merged.empty()) return std::nullopt;
  return Json(std::move(merged));
}

std::vector<SideItem> Merger::ItemsOf(const TypeNode& type, const Json::Array* list,
                                      Duplicates duplicates) {
  static const Json kNull;
  std::vector<SideItem> items;
  if (list == nullptr) return items;
  for (std::size_t i = 0; i < list->size(); ++i) {
    Result<PathElement> element = ElementOfItem(type, (*list)[i]);
    if (!element) {
      complaints_.push_back("element " + std::to_string(i) + ": " + element.error().message());
      continue;
    }
    items.push_back({*std::move(element), &(*list)[i]});
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (FindItem(items, items[i].element) == &items[i]) continue;
    if (duplicates == Duplicates::kRefused) {
      complaints_.push_back("duplicate entries for key " + items[i].element.ToString());
    }
  }
  return items;
}

std::optional<Json> Merger::WalkList(const TypeNode& type, const Json::Array* live,
                                     const Json::Array* applied) {
  const std::size_t before = complaints_.size();
  const std::vector<SideItem> applied_items = ItemsOf(type, applied, Duplicates::kRefused);
  const std::vector<SideItem> live_items = ItemsOf(type, live, Duplicates::kAllowed);
  if (complaints_.size() != before) return std::nullopt;
  Json::Array merged = MergeItems(type, live_items, applied_items);
  // PARITY: what items complain of is dropped, by a slip of upstream's.
  complaints_.resize(before);
  if (merged.empty()) return std::nullopt;
  return Json(std::move(merged));
}

/// Goes along both lists. Items of the live list alone are kept where they are; the applied ones
/// come in their own order, and a live item that the applied order wants later waits for it.
Json::Array Merger::MergeItems(const TypeNode& type, const std::vector<SideItem>& live,
                               const std::vector<SideItem>& applied) {
  static const Json kNull;
  Json::Array merged;
  const auto put = [&](const Json* of_live, const Json* of_applied) {
    if (std::optional<Json> item = Walk(type.item, of_live, of_applied)) {
      merged.push_back(*std::move(item));
    }
  };
  // An item that the live list has twice is merged with nothing: which of them would it be?
  const auto in_live = [&](const PathElement& element) -> const Json* {
    const auto count = std::ranges::count(live, element, &SideItem::element);
    if (count == 0) return nullptr;
    return count == 1 ? FindItem(live, element)->value : &kNull;
  };
  std::vector<const PathElement*> shared;
  for (const SideItem& item : applied) {
    if (FindItem(live, item.element) != nullptr) shared.push_back(&item.element);
  }
  std::size_t next_shared = 0;
  std::vector<bool> done(applied.size());
  const auto is_done = [&](const PathElement& element) {
    const SideItem* item = FindItem(applied, element);
    return item != nullptr && done[static_cast<std::size_t>(item - applied.data())];
  };

  std::size_t l = 0;
  std::size_t a = 0;
  while (l < live.size() || a < applied.size()) {
    if (l < live.size() && a < applied.size()) {
      const PathElement& element = live[l].element;
      if (element == applied[a].element) {
        done[a] = true;
        put(in_live(element), applied[a].value);
        ++l;
        ++a;
        if (next_shared < shared.size()) ++next_shared;
        continue;
      }
      if (FindItem(applied, element) != nullptr && next_shared < shared.size() &&
          *shared[next_shared] != element) {
        ++l;
        continue;
      }
    }
    if (l < live.size()) {
      const PathElement& element = live[l].element;
      if (FindItem(applied, element) == nullptr) {
        put(live[l].value, nullptr);
        ++l;
        continue;
      }
      if (is_done(element)) ++l;
    }
    if (a < applied.size()) {
      const PathElement& element = applied[a].element;
      done[a] = true;
      put(in_live(element), applied[a].value);
      ++a;
      if (next_shared < shared.size() && *shared[next_shared] == element) ++next_shared;
    }
  }
  return merged;
}

Json Remove(const TypeNode* type, const Json& value, const FieldSet& fields);

/// Null where nothing is left: a caller that drops what is null sees no empty map.
Json RemoveFromMap(const TypeNode& type, const Json& value, const FieldSet& fields) {
  const Json::Object* map = AsMap(&value);
  if (map == nullptr || type.map_is_atomic) return {};
  Json::Object left;
  for (const auto& [name, member] : *map) {
    const FieldSet::Node* node = fields.FindField(name);
    if (node != nullptr && node->owned) continue;
    left.insert_or_assign(
        name, node != nullptr ? Remove(type.TypeOfField(name), member, node->children) : member);
  }
  return left.empty() ? Json() : Json(std::move(left));
}

Json RemoveFromList(const TypeNode& type, const Json& value, const FieldSet& fields) {
  const Json::Array* list = AsList(&value);
  if (list == nullptr || type.list_is_atomic) return {};
  Json::Array left;
  for (const Json& item : *list) {
    const Result<PathElement> element = ElementOfItem(type, item);
    const FieldSet::Node* node = element ? fields.Find(*element) : nullptr;
    if (node != nullptr && node->owned) continue;
    left.push_back(node != nullptr ? Remove(type.item, item, node->children) : item);
  }
  return left.empty() ? Json() : Json(std::move(left));
}

Json Remove(const TypeNode* type, const Json& value, const FieldSet& fields) {
  switch (type == nullptr ? Form::kNone : FormOf(*type, &value)) {
    case Form::kMap:
      return RemoveFromMap(*type, value, fields);
    case Form::kList:
      return RemoveFromList(*type, value, fields);
    case Form::kScalar:
      return value;
    case Form::kNone:
      break;
  }
  return {};
}

}  // namespace

Result<Json> Merge(const TypeSchema& schema, const Json& live, const Json& applied) {
  Merger merger;
  std::optional<Json> merged = merger.Walk(&schema.root(), &live, &applied);
  if (!merger.complaints().empty()) {
    return Fail(ErrorCode::kInternal,
                "failed to merge config: " + JoinComplaints(merger.complaints()));
  }
  return std::move(merged).value_or(Json());
}

Json RemoveFields(const TypeSchema& schema, const Json& object, const FieldSet& fields) {
  return Remove(&schema.root(), object, fields);
}

}  // namespace flyball::sandbox::apply

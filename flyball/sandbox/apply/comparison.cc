#include "flyball/sandbox/apply/comparison.h"

#include <algorithm>

#include "flyball/base/stable_sort.h"
#include "flyball/sandbox/apply/list_item.h"
#include "flyball/sandbox/apply/schema_check.h"
#include "flyball/sandbox/apply/type_form.h"

namespace flyball::sandbox::apply {
namespace {

/// In which of the three sets a place itself is. It may be in several: an item of a list that there
/// were two of and now is one of was removed and added.
struct Marks {
  bool added = false;
  bool modified = false;
  bool removed = false;
};

/// An item of a list and the step to it.
struct Item {
  PathElement element;
  const Json* value;
};

class Comparer {
 public:
  /// Either side may be null: it has nothing at this place.
  Marks Walk(const TypeNode* type, const Json* before, const Json* after, Comparison& below);
  const std::vector<std::string>& complaints() const { return complaints_; }

 private:
  /// What one of the forms that the type allows makes of the place. Returns whether it was compared
  /// as a whole.
  bool WalkForm(const TypeNode& type, Form form, const Json* before, const Json* after,
                Marks& marks, Comparison& below);
  void WalkMap(const TypeNode& type, const Json::Object* before, const Json::Object* after,
               Comparison& below);
  void WalkList(const TypeNode& type, const Json::Array* before, const Json::Array* after,
                Comparison& below);
  Marks WalkItems(const TypeNode& type, std::span<const Item> before, std::span<const Item> after,
                  Comparison& below);
  void WalkField(const TypeNode& type, const std::string& name, const Json* before,
                 const Json* after, Comparison& below);
  std::vector<Item> ItemsOf(const TypeNode& type, const Json::Array* list);

  std::vector<std::string> complaints_;
};

void Attach(Comparison& to, const PathElement& element, Marks marks, Comparison&& below) {
  const auto attach = [&](FieldSet& set, bool owned, FieldSet& children) {
    if (owned || !children.Empty()) set.Attach(element, owned, std::move(children));
  };
  attach(to.added, marks.added, below.added);
  attach(to.modified, marks.modified, below.modified);
  attach(to.removed, marks.removed, below.removed);
}

void MarkWhole(const Json* before, const Json* after, Marks& marks) {
  if (before == nullptr) {
    marks.added = true;
  } else if (after == nullptr) {
    marks.removed = true;
  } else if (!SameValue(*before, *after)) {
    marks.modified = true;
  }
}

template <typename Container>
bool NothingIn(const Container* container) {
  return container == nullptr || container->empty();
}

Marks Comparer::Walk(const TypeNode* type, const Json* before, const Json* after,
                     Comparison& below) {
  Marks marks;
  if (type == nullptr) {
    complaints_.emplace_back("schema error: invalid atom: inlined");
    return marks;
  }
  const TypeForms forms_before = FormsOf(*type, before);
  const TypeForms forms_after = FormsOf(*type, after);
  bool whole = false;
  if (after == nullptr) {
    whole = WalkForm(*type, FirstForm(forms_before), before, after, marks, below);
  } else {
    if (before != nullptr && forms_before != forms_after) {
      WalkForm(*type, FirstForm(forms_before), before, after, marks, below);
    }
    whole = WalkForm(*type, FirstForm(forms_after), before, after, marks, below);
  }
  if (!whole && before == nullptr) marks.added = true;
  if (!whole && after == nullptr) marks.removed = true;
  return marks;
}

bool Comparer::WalkForm(const TypeNode& type, Form form, const Json* before, const Json* after,
                        Marks& marks, Comparison& below) {
  switch (form) {
    case Form::kMap: {
      const Json::Object* map_before = AsMap(before);
      const Json::Object* map_after = AsMap(after);
      if (type.map_is_atomic || (NothingIn(map_before) && NothingIn(map_after))) break;
      WalkMap(type, map_before, map_after, below);
      return false;
    }
    case Form::kList: {
      const Json::Array* list_before = AsList(before);
      const Json::Array* list_after = AsList(after);
      if (type.list_is_atomic || (NothingIn(list_before) && NothingIn(list_after))) break;
      WalkList(type, list_before, list_after, below);
      return false;
    }
    case Form::kScalar: {
      const std::string why_before = ScalarComplaint(type.scalar, before, "lhs: ");
      const std::string why_after = ScalarComplaint(type.scalar, after, "rhs: ");
      if (why_before.empty() || why_after.empty()) break;
      complaints_.push_back(why_before);
      complaints_.push_back(why_after);
      return false;
    }
    case Form::kNone:
      complaints_.emplace_back("schema error: invalid atom: inlined");
      return false;
  }
  MarkWhole(before, after, marks);
  return true;
}

void Comparer::WalkField(const TypeNode& type, const std::string& name, const Json* before,
                         const Json* after, Comparison& below) {
  // Most fields of most writes are scalars that did not change.
  if (before != nullptr && after != nullptr && before->If<Json::Object>() == nullptr &&
      before->If<Json::Array>() == nullptr && SameValue(*before, *after)) {
    return;
  }
  Comparison inside;
  const Marks marks = Walk(type.TypeOfField(name), before, after, inside);
  if (marks.added || marks.modified || marks.removed || !inside.Same()) {
    Attach(below, PathElement::Field(name), marks, std::move(inside));
  }
}

void Comparer::WalkMap(const TypeNode& type, const Json::Object* before, const Json::Object* after,
                       Comparison& below) {
  static const Json::Object kNothing;
  if (before == nullptr) before = &kNothing;
  if (after == nullptr) after = &kNothing;
  auto in_before = before->begin();
  auto in_after = after->begin();
  while (in_before != before->end() || in_after != after->end()) {
    int order = 0;
    if (in_before == before->end()) {
      order = 1;
    } else if (in_after == after->end()) {
      order = -1;
    } else {
      order = in_before->first.compare(in_after->first);
    }
    const std::string& name = order <= 0 ? in_before->first : in_after->first;
    WalkField(type, name, order <= 0 ? &in_before->second : nullptr,
              order >= 0 ? &in_after->second : nullptr, below);
    if (order <= 0) ++in_before;
    if (order >= 0) ++in_after;
  }
}

std::vector<Item> Comparer::ItemsOf(const TypeNode& type, const Json::Array* list) {
  std::vector<Item> items;
  if (list == nullptr) return items;
  items.reserve(list->size());
  for (std::size_t i = 0; i < list->size(); ++i) {
    Result<PathElement> element = ElementOfItem(type, (*list)[i]);
    if (element) {
      items.push_back({*std::move(element), &(*list)[i]});
    } else {
      complaints_.push_back("element " + std::to_string(i) + ": " + element.error().message());
    }
  }
  StableSort(items, [](const Item& a, const Item& b) { return a.element.Compare(b.element) < 0; });
  return items;
}

void Comparer::WalkList(const TypeNode& type, const Json::Array* before, const Json::Array* after,
                        Comparison& below) {
  if (before != nullptr && after != nullptr && std::ranges::equal(*before, *after, SameValue)) {
    return;
  }
  const std::vector<Item> items_before = ItemsOf(type, before);
  const std::vector<Item> items_after = ItemsOf(type, after);
  std::span<const Item> left(items_before);
  std::span<const Item> right(items_after);
  while (!left.empty() || !right.empty()) {
    const bool from_left =
        right.empty() || (!left.empty() && left[0].element.Compare(right[0].element) <= 0);
    const PathElement& element = from_left ? left[0].element : right[0].element;
    const auto take = [&](std::span<const Item>& items) {
      std::size_t count = 0;
      while (count < items.size() && items[count].element == element) ++count;
      const std::span<const Item> taken = items.first(count);
      items = items.subspan(count);
      return taken;
    };
    const std::span<const Item> group_before = take(left);
    const std::span<const Item> group_after = take(right);
    Comparison inside;
    const Marks marks = WalkItems(type, group_before, group_after, inside);
    Attach(below, element, marks, std::move(inside));
  }
}

/// The items that one step leads to: one on each side, as a rule.
Marks Comparer::WalkItems(const TypeNode& type, std::span<const Item> before,
                          std::span<const Item> after, Comparison& below) {
  const auto first = [](std::span<const Item> items) {
    return items.empty() ? nullptr : items.front().value;
  };
  Marks marks;
  if (before.size() <= 1 && after.size() <= 1) {
    return Walk(type.item, first(before), first(after), below);
  }
  if (before.size() >= 2 && after.size() >= 2) {
    marks.modified = !std::ranges::equal(
        before, after, [](const Item& a, const Item& b) { return SameValue(*a.value, *b.value); });
  } else if (before.size() >= 2) {
    if (!after.empty()) marks = Walk(type.item, nullptr, first(after), below);
    marks.removed = true;
  } else {
    if (!before.empty()) marks = Walk(type.item, first(before), nullptr, below);
    marks.added = true;
  }
  return marks;
}

}  // namespace

Result<Comparison> Compare(const TypeSchema& schema, const Json& before, const Json& after) {
  Comparer comparer;
  Comparison comparison;
  comparer.Walk(&schema.root(), &before, &after, comparison);
  if (comparer.complaints().empty()) return comparison;
  return Fail(ErrorCode::kInternal,
              "failed to compare objects: " + JoinComplaints(comparer.complaints()));
}

}  // namespace flyball::sandbox::apply

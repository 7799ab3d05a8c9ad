#include "flyball/sandbox/apply/object_fields.h"

#include <algorithm>
#include <optional>

#include "flyball/sandbox/apply/list_item.h"
#include "flyball/sandbox/apply/type_form.h"

namespace flyball::sandbox::apply {
namespace {

/// Walks an object and fills a set. Each step returns whether the place itself is in the set, and
/// puts what is below it into `below`.
class Collector {
 public:
  bool Collect(const TypeNode* type, const Json& value, FieldSet& below) {
    switch (type == nullptr ? Form::kNone : FormOf(*type, &value)) {
      case Form::kMap:
        if (type->map_is_atomic) return true;
        if (const Json::Object* map = AsMap(&value)) CollectMap(*type, *map, below);
        return false;
      case Form::kScalar:
        return true;
      case Form::kList:
        if (type->list_is_atomic) return true;
        if (const Json::Array* list = AsList(&value)) CollectList(*type, *list, below);
        return false;
      case Form::kNone:
        break;
    }
    failed_ = true;
    return false;
  }

  bool failed() const { return failed_; }

 private:
  void CollectMap(const TypeNode& type, const Json::Object& map, FieldSet& below) {
    for (const auto& [name, member] : map) {
      const TypeNode::Field* field = type.FindField(name);
      FieldSet inside;
      bool owned = Collect(field != nullptr ? field->type : type.other_fields, member, inside);
      const Json::Object* member_map = AsMap(&member);
      if (field == nullptr || member.IsNull() || (member_map != nullptr && member_map->empty())) {
        owned = true;
      }
      below.Attach(PathElement::Field(name), owned, std::move(inside));
    }
  }

  /// An item that is there twice is owned as one: nobody can tell its fields apart. One that has
  /// lost its key, as items do that are being pruned, is nobody's.
  void CollectList(const TypeNode& type, const Json::Array& list, FieldSet& below) {
    std::vector<std::optional<PathElement>> elements;
    elements.reserve(list.size());
    for (const Json& item : list) {
      Result<PathElement> element = ElementOfItem(type, item);
      elements.push_back(element ? std::optional(*std::move(element)) : std::nullopt);
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (!elements[i]) continue;
      FieldSet inside;
      if (std::ranges::count(elements, elements[i]) == 1) Collect(type.item, list[i], inside);
      below.Attach(*elements[i], true, std::move(inside));
    }
  }

  bool failed_ = false;
};

void OwnNamed(FieldSet& set, const TypeNode* type) {
  if (type == nullptr) return;
  set.EditNodes([&](FieldSet::Node& node) {
    if (node.children.Empty()) return;
    if (const std::string* name = node.element.field(); name != nullptr && type->is_map) {
      if (type->FindField(*name) != nullptr) node.owned = true;
      OwnNamed(node.children, type->TypeOfField(*name));
    } else if (node.element.key() != nullptr && type->is_list) {
      OwnNamed(node.children, type->item);
    }
  });
}

bool Follow(FieldSet& set, const TypeNode& type);

/// What is owned at a place of that type; `node` leads there.
bool FollowNode(FieldSet::Node& node, const TypeNode* type) {
  if (type == nullptr || node.children.Empty()) return false;
  const Form form = FirstForm({type->is_map, type->scalar != Scalar::kNone, type->is_list});
  if (form == Form::kMap && type->is_free_map) return false;
  const bool atomic =
      (form == Form::kMap && type->map_is_atomic) || (form == Form::kList && type->list_is_atomic);
  if (!atomic) return Follow(node.children, *type);
  node.owned = true;
  node.children = {};
  return true;
}

bool Follow(FieldSet& set, const TypeNode& type) {
  const Form form = FirstForm({type.is_map, type.scalar != Scalar::kNone, type.is_list});
  if (form != Form::kMap && form != Form::kList) return false;
  bool changed = false;
  set.EditNodes([&](FieldSet::Node& node) {
    if (form == Form::kList) {
      changed |= FollowNode(node, type.item);
      return;
    }
    const std::string* name = node.element.field();
    changed |= FollowNode(node, name != nullptr ? type.TypeOfField(*name) : type.other_fields);
  });
  return changed;
}

}  // namespace

Result<FieldSet> FieldsOf(const TypeSchema& schema, const Json& object) {
  Collector collector;
  FieldSet fields;
  collector.Collect(&schema.root(), object, fields);
  if (collector.failed()) {
    return Fail(ErrorCode::kInternal, "the object has fields that its schema does not know");
  }
  return fields;
}

void OwnNamedFields(FieldSet& set, const TypeSchema& schema) { OwnNamed(set, &schema.root()); }

bool FollowSchema(FieldSet& set, const TypeSchema& schema) {
  if (schema.root().is_free_map) return false;
  return Follow(set, schema.root());
}

}  // namespace flyball::sandbox::apply

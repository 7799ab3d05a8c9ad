#include "flyball/api/internal/view_oracle.h"

#include <algorithm>

#include "flyball/api/internal/field_access.h"
#include "flyball/api/view.h"

namespace flyball::api {
namespace {

const void* Member(const void* object, const ViewField& field) {
  return static_cast<const std::byte*>(object) + field.offset;
}

/// Whether anything in a full object is kept by a view: what `sparse` asks.
bool IsKept(const void* object, const TypeInfo& type, const ViewInfo& view);

const Field* FindNumber(const TypeInfo& type, std::uint32_t number) {
  for (const Field& field : type.fields) {
    if (field.number == number) return &field;
  }
  return nullptr;
}

bool IsFieldKept(const void* member, const Field& full, const ViewField& field) {
  switch (full.shape) {
    case Shape::kValue:
    case Shape::kInlined:
      return full.kind == Kind::kMessage ? IsKept(member, *full.message, *field.message)
                                         : !IsZero(member, full);
    case Shape::kOptional: {
      const void* value = GetOptional(member, full);
      if (value && full.kind == Kind::kMessage) {
        return !field.sparse || IsKept(value, *full.message, *field.message);
      }
      if (value && full.kind == Kind::kString) return !As<std::string>(value).empty();
      return value != nullptr;
    }
    case Shape::kList:
      for (std::size_t i = 0; i < ListSize(member, full); ++i) {
        if (!field.sparse || IsKept(ListAt(member, full, i), *full.message, *field.message)) {
          return true;
        }
      }
      return false;
    case Shape::kMap:
      return MapSize(member, full) > 0;
  }
  return false;
}

bool IsKept(const void* object, const TypeInfo& type, const ViewInfo& view) {
  for (const ViewField& field : view.fields) {
    const Field* full = FindNumber(type, field.number);
    if (!field.incidental && IsFieldKept(At(object, *full), *full, field)) return true;
  }
  for (const RareField& rare : view.rare) {
    const Field* full = FindNumber(type, rare.number);
    if (!IsZero(At(object, *full), *full)) return true;
  }
  return false;
}

class Comparison {
 public:
  std::string Objects(const void* view_object, const ViewInfo& view, const void* full_object,
                      const TypeInfo& type) {
    for (const ViewField& field : view.fields) {
      const Field* full = FindNumber(type, field.number);
      const std::string bad =
          Fields(Member(view_object, field), field, At(full_object, *full), *full);
      if (!bad.empty()) return std::string(field.name) + (bad[0] == ' ' ? "" : ".") + bad;
    }
    return {};
  }

 private:
  static std::string Same(bool same) { return same ? "" : " differs"; }

  static std::string Texts(const void* view, std::string_view full) {
    return Same(As<ViewString>(view).view() == full);
  }

  std::string Leaf(const void* view, const void* full, Kind kind) {
    switch (kind) {
      case Kind::kBool:
        return Same(As<bool>(view) == As<bool>(full));
      case Kind::kInt32:
        return Same(As<std::int32_t>(view) == As<std::int32_t>(full));
      case Kind::kInt64:
        return Same(As<std::int64_t>(view) == As<std::int64_t>(full));
      case Kind::kTime:
        return Same(As<ViewTime>(view).ToTime() == As<Time>(full));
      case Kind::kQuantity: {
        const std::string_view text = As<ViewString>(view).view();
        if (text.empty()) return Same(As<Quantity>(full).IsZero());
        const auto parsed = Quantity::Parse(text);
        return Same(parsed.has_value() && *parsed == As<Quantity>(full));
      }
      default:
        return Texts(view, As<std::string>(full));
    }
  }

  template <typename T>
  static std::string OptionalScalar(const void* view, const void* full) {
    const auto& optional = As<std::optional<T>>(view);
    return Same(optional.has_value() == (full != nullptr) && (!full || *optional == As<T>(full)));
  }

  std::string Optional(const void* view, const ViewField& field, const void* full,
                       const Field& full_field) {
    const void* value = GetOptional(full, full_field);
    switch (field.kind) {
      case Kind::kBool:
        return OptionalScalar<bool>(view, value);
      case Kind::kInt32:
        return OptionalScalar<std::int32_t>(view, value);
      case Kind::kInt64:
        return OptionalScalar<std::int64_t>(view, value);
      case Kind::kTime: {
        const auto& time = As<std::optional<ViewTime>>(view);
        return Same(time.has_value() == (value != nullptr) &&
                    (!value || time->ToTime() == As<Time>(value)));
      }
      case Kind::kMessage: {
        const void* part = As<const void*>(view);
        const bool expected =
            value && (!field.sparse || IsKept(value, *full_field.message, *field.message));
        if ((part != nullptr) != expected) return " is there and should not be, or the reverse";
        return part ? Objects(part, *field.message, value, *full_field.message) : "";
      }
      default:
        return Texts(view, value ? std::string_view(As<std::string>(value)) : std::string_view());
    }
  }

  std::string Lists(const void* view, const ViewField& field, const void* full,
                    const Field& full_field) {
    std::vector<const void*> kept;
    for (std::size_t i = 0; i < ListSize(full, full_field); ++i) {
      const void* element = ListAt(full, full_field, i);
      if (!field.sparse || IsKept(element, *full_field.message, *field.message)) {
        kept.push_back(element);
      }
    }
    const auto& list = As<ViewList<std::byte>>(view);
    if (list.size() != kept.size()) return " has another number of elements";
    for (std::size_t i = 0; i < kept.size(); ++i) {
      std::string bad;
      if (field.kind == Kind::kMessage) {
        bad = Objects(list.begin() + i * field.message->size, *field.message, kept[i],
                      *full_field.message);
      } else {
        bad = Texts(list.begin() + i * sizeof(ViewString), As<std::string>(kept[i]));
      }
      if (!bad.empty()) return "[" + std::to_string(i) + "]" + (bad[0] == ' ' ? "" : ".") + bad;
    }
    return {};
  }

  std::string Maps(const void* view, const ViewField& field, const void* full,
                   const Field& full_field) {
    const auto& map = As<ViewMap>(view);
    const ViewEntry* entry = map.begin();
    for (std::size_t i = 0; i < MapSize(full, full_field); ++i) {
      const std::string& key = MapKey(full, full_field, i);
      if (!field.keys.empty() && std::ranges::find(field.keys, key) == field.keys.end()) continue;
      if (entry == map.end() || entry->key != std::string_view(key))
        return "[" + key + "] is missing";
      const std::string bad = Leaf(&entry->value, MapValue(full, full_field, i), full_field.kind);
      if (!bad.empty()) return "[" + key + "]" + bad;
      ++entry;
    }
    return entry != map.end() ? " has another number of entries" : "";
  }

  std::string Fields(const void* view, const ViewField& field, const void* full,
                     const Field& full_field) {
    switch (field.shape) {
      case Shape::kOptional:
        return Optional(view, field, full, full_field);
      case Shape::kList:
        return Lists(view, field, full, full_field);
      case Shape::kMap:
        return Maps(view, field, full, full_field);
      case Shape::kValue:
      case Shape::kInlined:
        break;
    }
    if (field.kind == Kind::kMessage) {
      return Objects(view, *field.message, full, *full_field.message);
    }
    return Leaf(view, full, field.kind);
  }
};

}  // namespace

std::string CompareWithFull(const void* view_object, const ViewInfo& view, const void* full_object,
                            const TypeInfo& type) {
  return Comparison().Objects(view_object, view, full_object, type);
}

}  // namespace flyball::api

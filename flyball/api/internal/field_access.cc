#include "flyball/api/internal/field_access.h"

#include <algorithm>

namespace flyball::api {

const void* GetOptional(const void* member, const Field& field) {
  if (field.kind == Kind::kMessage) return As<BoxBase>(member).address();
  return WithLeafType(field.kind, [&]<typename T>() -> const void* {
    const auto& optional = As<std::optional<T>>(member);
    return optional ? &*optional : nullptr;
  });
}

void* EmplaceOptional(void* member, const Field& field, bool keep) {
  if (field.kind == Kind::kMessage) {
    const BoxOps& box = *field.message->box;
    return keep ? box.get_or_emplace(member) : box.emplace(member);
  }
  return WithLeafType(
      field.kind, [&]<typename T>() -> void* { return &As<std::optional<T>>(member).emplace(); });
}

void ResetOptional(void* member, const Field& field) {
  if (field.kind == Kind::kMessage) return field.message->box->reset(member);
  WithLeafType(field.kind, [&]<typename T>() { As<std::optional<T>>(member).reset(); });
}

std::size_t ListSize(const void* member, const Field& field) {
  if (field.kind == Kind::kMessage) return field.message->list->size(member);
  return WithLeafType(field.kind,
                      [&]<typename T>() { return As<std::vector<ListElement<T>>>(member).size(); });
}

const void* ListAt(const void* member, const Field& field, std::size_t i) {
  if (field.kind == Kind::kMessage) {
    const ListOps& list = *field.message->list;
    return static_cast<const std::byte*>(list.data(member)) + i * list.stride;
  }
  return WithLeafType(field.kind, [&]<typename T>() -> const void* {
    return &As<std::vector<ListElement<T>>>(member)[i];
  });
}

void* ListGrow(void* member, const Field& field) {
  if (field.kind == Kind::kMessage) return field.message->list->grow(member);
  return WithLeafType(field.kind, [&]<typename T>() -> void* {
    return &As<std::vector<ListElement<T>>>(member).emplace_back();
  });
}

void ListReserve(void* member, const Field& field, std::size_t n) {
  if (field.kind == Kind::kMessage) return field.message->list->reserve(member, n);
  WithLeafType(field.kind,
               [&]<typename T>() { As<std::vector<ListElement<T>>>(member).reserve(n); });
}

void ListClear(void* member, const Field& field) {
  if (field.kind == Kind::kMessage) return field.message->list->clear(member);
  WithLeafType(field.kind, [&]<typename T>() { As<std::vector<ListElement<T>>>(member).clear(); });
}

std::size_t MapSize(const void* member, const Field& field) {
  if (field.kind == Kind::kMessage) return field.message->map->size(member);
  return WithLeafType(field.kind, [&]<typename T>() { return As<Map<T>>(member).size(); });
}

const std::string& MapKey(const void* member, const Field& field, std::size_t i) {
  if (field.kind == Kind::kMessage) return field.message->map->key(member, i);
  return WithLeafType(field.kind, [&]<typename T>() -> const std::string& {
    return (As<Map<T>>(member).begin() + static_cast<std::ptrdiff_t>(i))->first;
  });
}

const void* MapValue(const void* member, const Field& field, std::size_t i) {
  if (field.kind == Kind::kMessage) return field.message->map->value(member, i);
  return WithLeafType(field.kind, [&]<typename T>() -> const void* {
    return &(As<Map<T>>(member).begin() + static_cast<std::ptrdiff_t>(i))->second;
  });
}

void* MapEmplace(void* member, const Field& field, std::string_view key) {
  if (field.kind == Kind::kMessage) return field.message->map->emplace(member, key);
  return WithLeafType(
      field.kind, [&]<typename T>() -> void* { return &As<Map<T>>(member).emplace_fresh(key); });
}

void MapClear(void* member, const Field& field) {
  if (field.kind == Kind::kMessage) return field.message->map->clear(member);
  WithLeafType(field.kind, [&]<typename T>() { As<Map<T>>(member).clear(); });
}

void* MapAppend(void* member, const Field& field, std::string_view key) {
  if (field.kind == Kind::kMessage) return field.message->map->append(member, key);
  return WithLeafType(field.kind,
                      [&]<typename T>() -> void* { return &As<Map<T>>(member).Append(key); });
}

void MapSort(void* member, const Field& field) {
  if (field.kind == Kind::kMessage) return field.message->map->sort(member);
  WithLeafType(field.kind, [&]<typename T>() { As<Map<T>>(member).Sort(); });
}

std::size_t ElementSize(const Field& field) {
  if (field.kind != Kind::kMessage) return sizeof(Map<Quantity>::value_type);
  switch (field.shape) {
    case Shape::kList:
      return field.message->list->stride;
    case Shape::kMap:
      return field.message->map->entry_size;
    case Shape::kOptional:
      return field.message->box->size;
    case Shape::kValue:
    case Shape::kInlined:
      break;
  }
  return 0;
}

namespace {

bool IsZeroValue(const void* value, const Field& field) {
  switch (field.kind) {
    case Kind::kBool:
      return !As<bool>(value);
    case Kind::kInt32:
      return As<std::int32_t>(value) == 0;
    case Kind::kInt64:
      return As<std::int64_t>(value) == 0;
    case Kind::kDouble:
      return As<double>(value) == 0;
    case Kind::kString:
    case Kind::kBytes:
      return As<std::string>(value).empty();
    case Kind::kStrings:
      return As<std::vector<std::string>>(value).empty();
    case Kind::kRaw:
      return As<RawJson>(value).empty();
    case Kind::kMessage:
      return IsZero(value, *field.message);
    case Kind::kTime:
      return As<Time>(value).IsZero();
    case Kind::kMicroTime:
      return As<MicroTime>(value).IsZero();
    case Kind::kQuantity:
      return As<Quantity>(value).IsZero();
    case Kind::kIntOrString:
      return As<IntOrString>(value) == IntOrString();
    case Kind::kDuration:
      return As<Duration>(value) == Duration();
  }
  return false;
}

}  // namespace

bool IsZero(const void* member, const Field& field) {
  switch (field.shape) {
    case Shape::kOptional:
      return GetOptional(member, field) == nullptr;
    case Shape::kList:
      return ListSize(member, field) == 0;
    case Shape::kMap:
      return MapSize(member, field) == 0;
    case Shape::kValue:
    case Shape::kInlined:
      return IsZeroValue(member, field);
  }
  return false;
}

bool IsZero(const void* object, const TypeInfo& type) {
  return UnknownOf(object, type).empty() &&
         std::ranges::all_of(type.fields,
                             [&](const Field& field) { return IsZero(At(object, field), field); });
}

}  // namespace flyball::api

#include "flyball/api/copy.h"

#include "flyball/api/internal/field_access.h"

namespace flyball::api {
namespace {

void CopyValue(void* to, const void* from, const Field& field) {
  if (field.kind == Kind::kMessage) return CopyStruct(to, from, *field.message);
  WithLeafType(field.kind, [&]<typename T>() { As<T>(to) = As<T>(from); });
}

void CopyOptional(void* to, const void* from, const Field& field) {
  const void* const there = GetOptional(from, field);
  if (there == nullptr) return ResetOptional(to, field);
  CopyValue(EmplaceOptional(to, field, /*keep=*/false), there, field);
}

void CopyList(void* to, const void* from, const Field& field) {
  ListClear(to, field);
  const std::size_t size = ListSize(from, field);
  ListReserve(to, field, size);
  for (std::size_t i = 0; i < size; ++i) {
    CopyValue(ListGrow(to, field), ListAt(from, field, i), field);
  }
}

void CopyMap(void* to, const void* from, const Field& field) {
  MapClear(to, field);
  const std::size_t size = MapSize(from, field);
  for (std::size_t i = 0; i < size; ++i) {
    CopyValue(MapAppend(to, field, MapKey(from, field, i)), MapValue(from, field, i), field);
  }
}

}  // namespace

void CopyMember(void* to, const void* from, const Field& field) {
  void* const target = At(to, field);
  const void* const source = At(from, field);
  switch (field.shape) {
    case Shape::kValue:
    case Shape::kInlined:
      return CopyValue(target, source, field);
    case Shape::kOptional:
      return CopyOptional(target, source, field);
    case Shape::kList:
      return CopyList(target, source, field);
    case Shape::kMap:
      return CopyMap(target, source, field);
  }
}

void CopyStruct(void* to, const void* from, const TypeInfo& type) {
  for (const Field& field : type.fields) CopyMember(to, from, field);
  UnknownOf(to, type) = UnknownOf(from, type);
}

AnyObject Copy(const AnyObject& object) {
  AnyObject copy(object.type());
  CopyStruct(copy.get(), object.get(), object.type());
  return copy;
}

}  // namespace flyball::api

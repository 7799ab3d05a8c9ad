#include "flyball/api/equality.h"

#include "flyball/api/internal/field_access.h"

namespace flyball::api {
namespace {

bool SameValue(const void* a, const void* b, const Field& field) {
  if (field.kind == Kind::kMessage) return SemanticEqual(a, b, *field.message);
  return WithLeafType(field.kind, [&]<typename T>() { return As<T>(a) == As<T>(b); });
}

bool SameList(const void* a, const void* b, const Field& field) {
  const std::size_t size = ListSize(a, field);
  if (size != ListSize(b, field)) return false;
  for (std::size_t i = 0; i < size; ++i) {
    if (!SameValue(ListAt(a, field, i), ListAt(b, field, i), field)) return false;
  }
  return true;
}

bool SameMap(const void* a, const void* b, const Field& field) {
  const std::size_t size = MapSize(a, field);
  if (size != MapSize(b, field)) return false;
  for (std::size_t i = 0; i < size; ++i) {
    if (MapKey(a, field, i) != MapKey(b, field, i)) return false;
    if (!SameValue(MapValue(a, field, i), MapValue(b, field, i), field)) return false;
  }
  return true;
}

bool SameMember(const void* a, const void* b, const Field& field) {
  switch (field.shape) {
    case Shape::kValue:
    case Shape::kInlined:
      return SameValue(a, b, field);
    case Shape::kOptional: {
      const void* in_a = GetOptional(a, field);
      const void* in_b = GetOptional(b, field);
      if (!in_a || !in_b) return in_a == in_b;
      return SameValue(in_a, in_b, field);
    }
    case Shape::kList:
      return SameList(a, b, field);
    case Shape::kMap:
      return SameMap(a, b, field);
  }
  return false;
}

}  // namespace

bool SemanticEqual(const void* a, const void* b, const TypeInfo& type) {
  if (a == b) return true;
  for (const Field& field : type.fields) {
    if (!SameMember(At(a, field), At(b, field), field)) return false;
  }
  return true;
}

}  // namespace flyball::api

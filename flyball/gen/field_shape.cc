#include "flyball/gen/field_shape.h"

#include "flyball/base/check.h"

namespace flyball::gen {
namespace {

bool IsWrapped(const Schema& schema, const TypeRef& type) {
  if (type.form != TypeRef::Form::kNamed) return false;
  const NamedType* named = schema.FindNamed(type.name);
  return named && named->wrapped;
}

std::string KindOf(const Schema& schema, const TypeRef& type) {
  if (IsWrapped(schema, type)) return "kStrings";
  const TypeRef& resolved = schema.Resolve(type);
  if (resolved.form == TypeRef::Form::kNamed) return "kMessage";
  const std::string& name = resolved.name;
  if (name == "string") return "kString";
  if (name == "bytes") return "kBytes";
  if (name == "bool") return "kBool";
  if (name == "int32") return "kInt32";
  if (name == "int64") return "kInt64";
  if (name == "float64") return "kDouble";
  if (name == "Quantity" || name == "IntOrString" || name == "Time" || name == "MicroTime" ||
      name == "Duration") {
    return "k" + name;
  }
  FLYBALL_CHECK(resolved.form == TypeRef::Form::kLeaf, name);
  return "kRaw";
}

}  // namespace

FieldShape ShapeOf(const Schema& schema, const FieldFacts& field) {
  const auto made = [&](const char* shape, const TypeRef& element) {
    return FieldShape{shape, KindOf(schema, element), &element};
  };
  if (field.inlined) return made("kInlined", field.type);
  if (IsWrapped(schema, field.type)) return made("kValue", field.type);
  const TypeRef& type = schema.Resolve(field.type);
  switch (type.form) {
    case TypeRef::Form::kPointer:
      return made("kOptional", type.Element());
    case TypeRef::Form::kList:
      return made("kList", type.Element());
    case TypeRef::Form::kMap:
      return made("kMap", type.Element());
    default:
      return made("kValue", field.type);
  }
}

}  // namespace flyball::gen

#include "flyball/api/member_text.h"

#include <algorithm>

#include "flyball/api/internal/field_access.h"

namespace flyball::api {
namespace {

std::string LeafText(const void* value, Kind kind) {
  switch (kind) {
    case Kind::kString:
      return As<std::string>(value);
    case Kind::kBool:
      return As<bool>(value) ? "true" : "false";
    case Kind::kInt32:
      return std::to_string(As<std::int32_t>(value));
    case Kind::kInt64:
      return std::to_string(As<std::int64_t>(value));
    default:
      return {};
  }
}

const void* ValueOf(const void* member, const Field& field) {
  switch (field.shape) {
    case Shape::kValue:
    case Shape::kInlined:
      return member;
    case Shape::kOptional:
      return GetOptional(member, field);
    case Shape::kList:
    case Shape::kMap:
      break;
  }
  return nullptr;
}

}  // namespace

std::string MemberText(const void* object, const TypeInfo& type, std::string_view path) {
  const auto dot = path.find('.');
  const auto field = std::ranges::find(type.fields, path.substr(0, dot), &Field::name);
  if (field == type.fields.end()) return {};
  const void* const value = ValueOf(At(object, *field), *field);
  const bool leaf = field->kind != Kind::kMessage;
  if (leaf != (dot == std::string_view::npos)) return {};
  if (leaf) return value == nullptr ? std::string() : LeafText(value, field->kind);
  return value == nullptr ? std::string()
                          : MemberText(value, *field->message, path.substr(dot + 1));
}

}  // namespace flyball::api

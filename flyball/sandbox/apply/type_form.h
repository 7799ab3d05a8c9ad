#pragma once

#include <cstdint>

#include "flyball/sandbox/apply/type_schema.h"

namespace flyball::sandbox::apply {

/// The forms that a place may have, for a value that is there. Two values of one place that have
/// different ones are compared and merged form by form.
struct TypeForms {
  bool map = false;
  bool scalar = false;
  bool list = false;

  friend bool operator==(const TypeForms&, const TypeForms&) = default;
};

/// One form where the value decides it, all that the type has where it does not: null, nothing, or
/// what the type does not allow.
inline TypeForms FormsOf(const TypeNode& type, const Json* value) {
  if (value != nullptr && !value->IsNull()) {
    if (value->If<Json::Object>() != nullptr) {
      if (type.is_map) return {.map = true};
    } else if (value->If<Json::Array>() != nullptr) {
      if (type.is_list) return {.list = true};
    } else if (type.scalar != Scalar::kNone) {
      return {.scalar = true};
    }
  }
  return {.map = type.is_map, .scalar = type.scalar != Scalar::kNone, .list = type.is_list};
}

/// Of several forms the first counts: map, scalar, list.
enum class Form : std::uint8_t { kMap, kScalar, kList, kNone };

inline Form FirstForm(const TypeForms& forms) {
  if (forms.map) return Form::kMap;
  if (forms.scalar) return Form::kScalar;
  return forms.list ? Form::kList : Form::kNone;
}

inline Form FormOf(const TypeNode& type, const Json* value) {
  return FirstForm(FormsOf(type, value));
}

/// The list or map that a value is; null where it is something else, null itself or nothing.
inline const Json::Array* AsList(const Json* value) {
  return value != nullptr ? value->If<Json::Array>() : nullptr;
}
inline const Json::Object* AsMap(const Json* value) {
  return value != nullptr ? value->If<Json::Object>() : nullptr;
}

}  // namespace flyball::sandbox::apply

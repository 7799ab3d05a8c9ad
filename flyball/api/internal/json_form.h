#pragma once

#include <cstdint>

#include "flyball/api/json.h"

namespace flyball::api {

/// The forms that upstream tells apart where it compares the types of two values: whole numbers and
/// others are two.
enum class JsonForm : std::uint8_t { kNull, kBool, kInt, kDouble, kString, kArray, kObject };

inline JsonForm FormOf(const Json& value) {
  if (value.If<Json::Object>()) return JsonForm::kObject;
  if (value.If<Json::Array>()) return JsonForm::kArray;
  if (value.If<std::string>()) return JsonForm::kString;
  if (value.If<std::int64_t>()) return JsonForm::kInt;
  if (value.If<double>()) return JsonForm::kDouble;
  if (value.If<bool>()) return JsonForm::kBool;
  return JsonForm::kNull;
}

}  // namespace flyball::api

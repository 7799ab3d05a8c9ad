#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "flyball/api/map.h"
#include "flyball/api/meta/v1.h"
#include "flyball/api/quantity.h"
#include "flyball/sandbox/api_status_error.h"

/// Checks that many kinds share. Each adds what is wrong to `errors`, with the path of the field.
namespace flyball::sandbox {

/// "spec.ports[2]" and "data[a key]".
std::string At(std::string_view path, std::size_t index);
std::string At(std::string_view path, std::string_view key);

/// The label, or the name, must be there and be one.
void CheckLabelName(std::string_view name, const std::string& path, FieldErrors& errors);
void CheckSubdomain(std::string_view name, const std::string& path, FieldErrors& errors);
/// What ports are called: "http", up to 15 characters.
void CheckPortName(std::string_view name, const std::string& path, FieldErrors& errors);
void CheckPort(std::int64_t port, const std::string& path, FieldErrors& errors);
void CheckNotNegative(std::int64_t number, const std::string& path, FieldErrors& errors);
/// An enumeration: it must be there, and be one of these.
void CheckOneOf(std::string_view value, std::initializer_list<std::string_view> supported,
                const std::string& path, FieldErrors& errors);
void CheckQuantity(const api::Quantity& quantity, const std::string& path, FieldErrors& errors);
void CheckLabels(const api::Map<std::string>& labels, const std::string& path, FieldErrors& errors);
void CheckSelector(const meta::v1::LabelSelector& selector, const std::string& path,
                   FieldErrors& errors);
/// A key of a ConfigMap or a Secret.
void CheckDataKey(std::string_view key, const std::string& path, FieldErrors& errors);

/// An object's JSON text, as it stands in an error.
std::string ShownAs(const void* object, const api::TypeInfo& type);
template <typename T>
std::string Shown(const T& object) {
  return ShownAs(&object, T::kType);
}

}  // namespace flyball::sandbox

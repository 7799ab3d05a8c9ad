#pragma once

#include <optional>
#include <string>
#include <vector>

#include "flyball/api/value.h"

/// How the codecs reach the members that a table describes.
namespace flyball::api {

inline const void* At(const void* object, const Field& field) {
  return static_cast<const std::byte*>(object) + field.offset;
}
inline void* At(void* object, const Field& field) {
  return static_cast<std::byte*>(object) + field.offset;
}
inline const UnknownFields& UnknownOf(const void* object, const TypeInfo& type) {
  return *reinterpret_cast<const UnknownFields*>(static_cast<const std::byte*>(object) +
                                                 type.unknown_offset);
}
inline UnknownFields& UnknownOf(void* object, const TypeInfo& type) {
  return *reinterpret_cast<UnknownFields*>(static_cast<std::byte*>(object) + type.unknown_offset);
}

template <typename T>
const T& As(const void* value) {
  return *static_cast<const T*>(value);
}
template <typename T>
T& As(void* value) {
  return *static_cast<T*>(value);
}

/// Calls `visit.operator()<T>()` with the C++ type of a leaf kind, so that std::optional<T>,
/// std::vector<T> and Map<T> can be named. Not for kMessage.
template <typename Visit>
decltype(auto) WithLeafType(Kind kind, Visit&& visit) {
  switch (kind) {
    case Kind::kBool:
      return visit.template operator()<bool>();
    case Kind::kInt32:
      return visit.template operator()<std::int32_t>();
    case Kind::kInt64:
      return visit.template operator()<std::int64_t>();
    case Kind::kDouble:
      return visit.template operator()<double>();
    case Kind::kStrings:
      return visit.template operator()<std::vector<std::string>>();
    case Kind::kQuantity:
      return visit.template operator()<Quantity>();
    case Kind::kIntOrString:
      return visit.template operator()<IntOrString>();
    case Kind::kTime:
      return visit.template operator()<Time>();
    case Kind::kMicroTime:
      return visit.template operator()<MicroTime>();
    case Kind::kDuration:
      return visit.template operator()<Duration>();
    case Kind::kRaw:
      return visit.template operator()<RawJson>();
    case Kind::kString:
    case Kind::kBytes:
    case Kind::kMessage:
      break;
  }
  return visit.template operator()<std::string>();
}

/// The element type of a list: std::vector<bool> has no elements to point at.
template <typename T>
using ListElement = std::conditional_t<std::is_same_v<T, bool>, Boolean, T>;

/// What is in an optional field, or null.
const void* GetOptional(const void* member, const Field& field);
/// A fresh value in an optional field; for a message, what is there already if `keep`.
void* EmplaceOptional(void* member, const Field& field, bool keep);
void ResetOptional(void* member, const Field& field);

std::size_t ListSize(const void* member, const Field& field);
const void* ListAt(const void* member, const Field& field, std::size_t i);
void* ListGrow(void* member, const Field& field);
void ListReserve(void* member, const Field& field, std::size_t n);
void ListClear(void* member, const Field& field);

std::size_t MapSize(const void* member, const Field& field);
const std::string& MapKey(const void* member, const Field& field, std::size_t i);
const void* MapValue(const void* member, const Field& field, std::size_t i);
/// A fresh value under a key: as upstream, of a repeated key the last value counts, all of it.
void* MapEmplace(void* member, const Field& field, std::string_view key);
void MapClear(void* member, const Field& field);
/// For decoders: a fresh value behind the others, and when all are there, their order. A key that
/// came twice has the value that came last.
void* MapAppend(void* member, const Field& field, std::string_view key);
void MapSort(void* member, const Field& field);

/// Calls `visit` with every struct in a member of kind kMessage, to be changed in place.
template <typename Visit>
void ForEachStruct(void* member, const Field& field, Visit visit) {
  // The accessors are written for readers; the object is the caller's to change.
  const auto visit_in = [&](const void* value) { visit(const_cast<void*>(value)); };
  switch (field.shape) {
    case Shape::kValue:
    case Shape::kInlined:
      visit(member);
      break;
    case Shape::kOptional:
      if (const void* value = GetOptional(member, field)) visit_in(value);
      break;
    case Shape::kList:
      for (std::size_t i = 0; i < ListSize(member, field); ++i) visit_in(ListAt(member, field, i));
      break;
    case Shape::kMap:
      for (std::size_t i = 0; i < MapSize(member, field); ++i) visit_in(MapValue(member, field, i));
      break;
  }
}

/// What another element of the field takes in memory, besides what it points to; no less than that
/// for leaf kinds.
std::size_t ElementSize(const Field& field);

/// Whether a member is what Go's zero value would be.
bool IsZero(const void* member, const Field& field);
/// Whether every field of a struct is.
bool IsZero(const void* object, const TypeInfo& type);

}  // namespace flyball::api

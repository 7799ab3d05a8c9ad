#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "flyball/api/meta/v1.h"
#include "flyball/api/table.h"

namespace flyball::api {

/// A list of any kind, with the table that the codecs want: every list kind is built alike, so what
/// asks for a list of T need not know that it is called PodList.
template <typename T>
struct List {
  std::string kind;
  std::string apiVersion;
  meta::v1::ListMeta metadata;
  std::vector<T> items;
  UnknownFields unknown_fields;

  static const TypeInfo kType;
};

// Our compilers offer offsetof for more than standard-layout types, as the generated tables need.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"

namespace internal {

template <typename T>
struct ListTable {
  static constexpr Field kFields[] = {
      {.name = "kind", .offset = offsetof(List<T>, kind), .kind = Kind::kString, .omitempty = true},
      {.name = "apiVersion",
       .offset = offsetof(List<T>, apiVersion),
       .kind = Kind::kString,
       .omitempty = true},
      {.name = "metadata",
       .message = &meta::v1::ListMeta::kType,
       .offset = offsetof(List<T>, metadata),
       .number = 1,
       .omitempty = true},
      {.name = "items",
       .message = &T::kType,
       .offset = offsetof(List<T>, items),
       .number = 2,
       .shape = Shape::kList},
  };
  static constexpr std::uint8_t kByNumber[] = {2, 3};
};

}  // namespace internal

template <typename T>
constinit const TypeInfo List<T>::kType = {
    .name = "List",
    .package = "",
    .group = "",
    .version = "",
    .has_type_meta = true,
    .unknown_offset = offsetof(List<T>, unknown_fields),
    .fields = internal::ListTable<T>::kFields,
    .by_number = internal::ListTable<T>::kByNumber,
};

#pragma GCC diagnostic pop

}  // namespace flyball::api

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "flyball/api/type_info.h"

/// The tables behind views, written by `flyball gen` from views.txt.
namespace flyball::api {

struct ViewInfo;

struct ViewField {
  std::string_view name;
  std::uint16_t number;  ///< in protobuf
  std::uint16_t offset;
  Kind kind;
  Shape shape;
  bool pooled = false;      ///< the same in many objects: kept once for all of them
  bool sparse = false;      ///< left out where nothing in it is kept
  bool incidental = false;  ///< no reason by itself to keep what it is in
  const ViewInfo* message = nullptr;
  std::span<const std::string_view> keys = {};  ///< of a map: the only keys kept; empty for all
};

/// A field kept in wire form among the `rare` bytes. A plain one that is zero says nothing and is
/// left out; an optional one says something even when empty.
struct RareField {
  std::uint16_t number;
  bool optional;
};

/// A view's struct is trivially copied and destroyed; all its pointers are found by this table.
struct ViewInfo {
  std::string_view name;
  std::uint32_t size;
  void (*construct)(void* memory);         ///< puts a default struct there
  std::span<const ViewField> fields = {};  ///< by ascending number
  std::span<const RareField> rare = {};    ///< by ascending number
  std::uint16_t rare_offset = 0;
  const TypeInfo* kind = nullptr;  ///< what the view is of; of a part of one, nothing
};

}  // namespace flyball::api

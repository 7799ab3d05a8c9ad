#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

#include "flyball/api/view_info.h"

/// What the generated tables of views are built from. Only generated code needs this.
namespace flyball::api {

template <typename T>
void Construct(void* memory) {
  ::new (memory) T();
}

/// Where a base is in a struct. Views have one base at most, which comes first.
template <typename T, typename Base>
constexpr std::uint16_t BaseOffset() {
  static_assert(std::is_base_of_v<Base, T>);
  return 0;
}

/// The table of a whole view: that of its outermost part, and the kind it is a view of.
consteval ViewInfo ViewOf(ViewInfo outermost, const TypeInfo& kind) {
  outermost.kind = &kind;
  return outermost;
}

}  // namespace flyball::api

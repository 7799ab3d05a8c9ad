#pragma once

#include <vector>

#include "flyball/api/box.h"
#include "flyball/api/map.h"
#include "flyball/api/type_info.h"

/// What the generated tables are built from. Only generated code and the codecs need this.
namespace flyball::api {

template <typename T>
inline constexpr ListOps kListOps = {
    sizeof(T),
    [](const void* list) { return static_cast<const std::vector<T>*>(list)->size(); },
    [](const void* list) -> const void* {
      return static_cast<const std::vector<T>*>(list)->data();
    },
    [](void* list) -> void* { return &static_cast<std::vector<T>*>(list)->emplace_back(); },
    [](void* list, std::size_t n) { static_cast<std::vector<T>*>(list)->reserve(n); },
    [](void* list) { static_cast<std::vector<T>*>(list)->clear(); },
};

template <typename T>
inline constexpr MapOps kMapOps = {
    [](const void* map) { return static_cast<const Map<T>*>(map)->size(); },
    [](const void* map, std::size_t i) -> const std::string& {
      return (static_cast<const Map<T>*>(map)->begin() + static_cast<std::ptrdiff_t>(i))->first;
    },
    [](const void* map, std::size_t i) -> const void* {
      return &(static_cast<const Map<T>*>(map)->begin() + static_cast<std::ptrdiff_t>(i))->second;
    },
    [](void* map, std::string_view key) -> void* {
      return &static_cast<Map<T>*>(map)->emplace_fresh(key);
    },
    [](void* map) { static_cast<Map<T>*>(map)->clear(); },
    [](void* map, std::string_view key) -> void* {
      return &static_cast<Map<T>*>(map)->Append(key);
    },
    [](void* map) { static_cast<Map<T>*>(map)->Sort(); },
    sizeof(typename Map<T>::value_type),
};

template <typename T>
inline constexpr BoxOps kBoxOps = {
    [](void* box) -> void* { return &static_cast<Box<T>*>(box)->emplace(); },
    [](void* box) -> void* { return &static_cast<Box<T>*>(box)->get_or_emplace(); },
    [](void* box) { static_cast<Box<T>*>(box)->reset(); },
    sizeof(T),
};

template <typename T>
void* Create() {
  return new T();
}
template <typename T>
void Destroy(void* object) {
  delete static_cast<T*>(object);
}

}  // namespace flyball::api

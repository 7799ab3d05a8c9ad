#pragma once

#include <compare>
#include <functional>
#include <string>
#include <string_view>

namespace flyball::api {

/// Which object of a kind: its namespace, empty for what has none, and its name.
struct ObjectKey {
  std::string namespace_;
  std::string name;

  template <typename T>
  static ObjectKey Of(const T& object) {
    return {std::string(object.metadata.namespace_), std::string(object.metadata.name)};
  }
  /// "namespace/name", or the name alone: what keys look like in logs and queues.
  std::string ToString() const { return namespace_.empty() ? name : namespace_ + "/" + name; }

  friend auto operator<=>(const ObjectKey&, const ObjectKey&) = default;
};

}  // namespace flyball::api

template <>
struct std::hash<flyball::api::ObjectKey> {
  std::size_t operator()(const flyball::api::ObjectKey& key) const {
    const std::hash<std::string_view> of;
    return of(key.namespace_) * 31 + of(key.name);
  }
};

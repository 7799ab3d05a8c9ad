#pragma once

#include <compare>
#include <functional>
#include <string>
#include <string_view>

#include "flyball/base/log_field.h"

namespace flyball::api {

/// Which object of a kind: its namespace, empty for what has none, and its name.
struct ObjectKey {
  std::string namespace_;
  std::string name;

  template <typename T>
  static ObjectKey Of(const T& object) {
    return {std::string(object.metadata.namespace_), std::string(object.metadata.name)};
  }
  /// "namespace/name", or the name alone: what keys look like in queues and error texts.
  std::string ToString() const { return namespace_.empty() ? name : namespace_ + "/" + name; }

  friend auto operator<=>(const ObjectKey&, const ObjectKey&) = default;
};

// What log lines say of objects: an object in JSON, "namespace/name" in text. All borrow what they
// are made of: make them in the call that logs.

inline LogObject ToLogValue(const ObjectKey& key) { return {key.namespace_, key.name}; }

/// An object that is there, a generated kind or a view: {{"pod", KObj(*pod)}}.
template <typename T>
LogObject KObj(const T& object) {
  const auto& metadata = object.metadata;
  // A view of a kind that has no namespaces has no place for one.
  if constexpr (requires { metadata.namespace_; }) {
    return {metadata.namespace_, metadata.name};
  } else {
    return {{}, metadata.name};
  }
}

/// An object of which only the name is known, and the namespace if it has one.
inline LogObject KRef(std::string_view namespace_, std::string_view name) {
  return {namespace_, name};
}

}  // namespace flyball::api

template <>
struct std::hash<flyball::api::ObjectKey> {
  std::size_t operator()(const flyball::api::ObjectKey& key) const {
    const std::hash<std::string_view> of;
    return of(key.namespace_) * 31 + of(key.name);
  }
};

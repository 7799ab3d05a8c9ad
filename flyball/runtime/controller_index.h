#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flyball/cache/informer.h"
#include "flyball/runtime/controller_ref.h"

/// Finds what an owner controls, and what nobody does, without looking at the rest of a namespace.
namespace flyball::runtime {

inline constexpr std::string_view kControllerIndex = "controller";

/// Of an owner in a namespace.
// DIVERGES: upstream tells the owner of a pod, though not that of a set, by its kind and name too.
// So a pod whose reference has them wrong is nobody's there, and another is made in its place.
inline std::string ControllerIndexValue(std::string_view namespace_, std::string_view uid) {
  return std::string(namespace_) + "/" + std::string(uid);
}

template <typename T>
void IndexByController(const cache::Informer<T>& informer) {
  informer.AddIndex(std::string(kControllerIndex), [](const T& object, cache::IndexValues& values) {
    const auto* const owner = ControllerOf(object);
    const std::string_view namespace_ = object.metadata.namespace_;
    values.push_back(owner ? ControllerIndexValue(namespace_, owner->uid)
                           : std::string(namespace_));
  });
}

/// What `owner` controls.
template <typename T, typename Owner>
std::vector<cache::Ref<T>> ControlledBy(const Owner& owner, const cache::Lister<T>& lister) {
  return lister.ByIndex(kControllerIndex,
                        ControllerIndexValue(owner.metadata.namespace_, owner.metadata.uid));
}

/// What no one controls.
template <typename T>
std::vector<cache::Ref<T>> OrphansIn(std::string_view namespace_, const cache::Lister<T>& lister) {
  return lister.ByIndex(kControllerIndex, namespace_);
}

}  // namespace flyball::runtime

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flyball/cache/informer.h"
#include "flyball/controllers/common/controller_ref.h"

/// Finds what an owner controls, and what nobody does, without looking at the rest of a namespace.
namespace flyball::controllers::common {

inline constexpr std::string_view kControllerIndex = "controller";

/// Of an owner in a namespace.
// PARITY: by its kind and name too, so that a reference with the right uid and the wrong name is
// nobody's.
template <typename Reference>
std::string ControllerIndexValue(std::string_view namespace_, const Reference& owner) {
  std::string value(namespace_);
  for (const std::string_view part :
       {std::string_view(owner.kind), std::string_view(owner.name), std::string_view(owner.uid)}) {
    value.append("/").append(part);
  }
  return value;
}

template <typename T>
void IndexByController(const cache::Informer<T>& informer) {
  informer.AddIndex(std::string(kControllerIndex), [](const T& object, cache::IndexValues& values) {
    const auto* const owner = ControllerOf(object);
    const std::string_view namespace_ = object.metadata.namespace_;
    values.push_back(owner ? ControllerIndexValue(namespace_, *owner) : std::string(namespace_));
  });
}

/// What `owner`, of a generated kind, controls.
template <typename T, typename Owner>
std::vector<cache::Ref<T>> ControlledBy(const Owner& owner, const cache::Lister<T>& lister) {
  return lister.ByIndex(kControllerIndex,
                        ControllerIndexValue(owner.metadata.namespace_, ControllerRefTo(owner)));
}

/// What no one controls.
template <typename T>
std::vector<cache::Ref<T>> OrphansIn(std::string_view namespace_, const cache::Lister<T>& lister) {
  return lister.ByIndex(kControllerIndex, namespace_);
}

}  // namespace flyball::controllers::common

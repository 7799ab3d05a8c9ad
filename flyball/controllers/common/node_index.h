#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/views.h"
#include "flyball/cache/informer.h"

/// Finds the pods of a node without looking at those of others.
namespace flyball::controllers::common {

inline constexpr std::string_view kNodeIndex = "node";

inline void IndexByNode(const cache::Informer<views::Pod>& pods) {
  pods.AddIndex(std::string(kNodeIndex), [](const views::Pod& pod, cache::IndexValues& values) {
    if (!pod.spec.nodeName.empty()) values.emplace_back(pod.spec.nodeName.view());
  });
}

/// Those that are bound to it.
inline std::vector<cache::Ref<views::Pod>> PodsOn(std::string_view node,
                                                  const cache::Lister<views::Pod>& pods) {
  return pods.ByIndex(kNodeIndex, node);
}

}  // namespace flyball::controllers::common

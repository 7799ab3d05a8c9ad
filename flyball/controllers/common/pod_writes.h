#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/api/views.h"
#include "flyball/cache/informer.h"
#include "flyball/runtime/context.h"

/// Makes and removes the pods of an owner, and tells those who look at the owner.
namespace flyball::controllers::common {

/// What has become of the pods of an owner, which the caches do not show yet.
struct PodWrites {
  std::size_t created = 0;
  std::size_t refused = 0;                           ///< tried, and not made
  std::vector<cache::Ref<views::Pod>> removed = {};  ///< told to end, or gone before they could be
  std::optional<Error> failure = std::nullopt;
};

/// How many pods are made in the first try, and then after each one in which all went well: a
/// template that the server refuses, or a quota that is used up, costs few requests.
inline constexpr std::size_t kFirstBatch = 1;
/// The size of the batch after one of `last`, of `left` that are to be made.
std::size_t NextBatch(std::size_t last, std::size_t left);

/// So many pods of a kind, in batches that grow for as long as all goes well. The error is of the
/// first that could not be made.
PodWrites CreatePods(runtime::Context& context, const core::v1::ObjectReference& owner,
                     const core::v1::Pod& pod, std::size_t count);

/// The same for pods that differ and have labels: `make` is asked for each, one batch at a time.
PodWrites CreatePods(runtime::Context& context, const core::v1::ObjectReference& owner,
                     std::size_t count, const std::function<core::v1::Pod(std::size_t)>& make);

/// The same for these, which have labels too.
PodWrites CreatePods(runtime::Context& context, const core::v1::ObjectReference& owner,
                     std::span<const core::v1::Pod> pods);

/// All of these pods at once. One that is gone already is no error.
PodWrites DeletePods(runtime::Context& context, const core::v1::ObjectReference& owner,
                     std::span<const cache::Ref<views::Pod>> pods);

}  // namespace flyball::controllers::common

#pragma once

#include <cstddef>
#include <deque>
#include <expected>
#include <type_traits>
#include <utility>

#include "flyball/base/result.h"

namespace flyball::cluster {

/// Starts one request after the other, which `start_one` does by a number, and waits for the oldest
/// when there are many. Each answer goes to `take`, unless there is nothing in it; the first that
/// is none ends it.
template <typename StartOne, typename Take>
Result<> ForAll(int count, StartOne start_one, Take take) {
  constexpr std::size_t kInFlight = 32;
  std::deque<decltype(start_one(0))> under_way;
  const auto finish = [&]() -> Result<> {
    auto answer = under_way.front().Wait();
    under_way.pop_front();
    if (!answer) return std::unexpected(std::move(answer).error());
    if constexpr (!std::is_void_v<typename decltype(answer)::value_type>) {
      take(*std::move(answer));
    }
    return {};
  };
  for (int i = 0; i < count; ++i) {
    under_way.push_back(start_one(i));
    if (under_way.size() >= kInFlight) FLYBALL_TRY(finish());
  }
  while (!under_way.empty()) FLYBALL_TRY(finish());
  return {};
}

template <typename StartOne>
Result<> ForAll(int count, StartOne start_one) {
  return ForAll(count, std::move(start_one), [](const auto&) {});
}

}  // namespace flyball::cluster

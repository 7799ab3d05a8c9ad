#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace flyball {

/// Sorts, by what `by` makes of each, and leaves what is equal in its order. The standard library's
/// stands on a buffer that C++23 calls deprecated.
template <typename T, typename Less = std::ranges::less, typename By = std::identity>
void StableSort(std::vector<T>& values, Less less = {}, By by = {}) {
  std::vector<std::pair<T, std::size_t>> numbered;
  numbered.reserve(values.size());
  for (T& value : values) numbered.emplace_back(std::move(value), numbered.size());
  std::ranges::sort(numbered, [&](const auto& a, const auto& b) {
    const auto comes_before = [&](const T& x, const T& y) {
      return std::invoke(less, std::invoke(by, x), std::invoke(by, y));
    };
    if (comes_before(a.first, b.first)) return true;
    return !comes_before(b.first, a.first) && a.second < b.second;
  });
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::move(numbered[i].first);
}

}  // namespace flyball

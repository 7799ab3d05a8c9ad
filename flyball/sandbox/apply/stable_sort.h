#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace flyball::sandbox::apply {

/// Sorts, and leaves what is equal in its order. The standard library's stands on a buffer that
/// C++23 calls deprecated.
template <typename T, typename Less>
void StableSort(std::vector<T>& values, Less less) {
  std::vector<std::pair<T, std::size_t>> numbered;
  numbered.reserve(values.size());
  for (T& value : values) numbered.emplace_back(std::move(value), numbered.size());
  std::ranges::sort(numbered, [&](const auto& a, const auto& b) {
    if (less(a.first, b.first)) return true;
    return !less(b.first, a.first) && a.second < b.second;
  });
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::move(numbered[i].first);
}

}  // namespace flyball::sandbox::apply

#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "flyball/base/stable_sort.h"

namespace flyball::api {

/// How selectors read labels and fields, wherever they are kept, without copying them. In this
/// order, a source of values is:
///   1. a function from a key to `std::optional<std::string_view>`, `const std::string*` or
///      `std::string_view` (the last: there always is a value);
///   2. a range of pairs, or of structs with two members, in the order of its keys, which says so
///      by `kSortedByKey`: a view's ViewMap, an object's Map;
///   3. a map with `find(const std::string&)`: std::map, std::unordered_map;
///   4. a range of pairs or structs in no order, e.g. a
///      `std::span<const std::pair<std::string_view, std::string_view>>`. It is searched from front
///      to back for each key, or sorted first where there are many keys to be found. Keys are
///      unique.
namespace selector_lookup {

/// For so few, comparing all keys is faster than a binary search.
inline constexpr std::size_t kFew = 8;

template <class Source>
concept Function = std::invocable<const Source&, const std::string&>;

template <class Source>
concept SortedRange = std::ranges::random_access_range<const Source&> && Source::kSortedByKey;

template <class Source>
concept Map = requires(const Source& source, const std::string& key) {
  { source.find(key) == source.end() } -> std::convertible_to<bool>;
  { source.find(key)->second } -> std::convertible_to<std::string_view>;
};

template <class Source>
concept PairRange = std::ranges::input_range<const Source&>;

template <class Entry>
std::string_view KeyOf(const Entry& entry) {
  const auto& [key, value] = entry;
  return std::string_view(key);
}
template <class Entry>
std::string_view ValueOf(const Entry& entry) {
  const auto& [key, value] = entry;
  return std::string_view(value);
}

/// The first entry from `at` on whose key is not before `key`. Takes the logarithm of how far that
/// is: one walk through a sorted range with ever larger keys costs no more than a merge, and less
/// where the keys are few.
template <class Iterator>
Iterator Advance(Iterator at, Iterator end, std::string_view key) {
  std::iter_difference_t<Iterator> step = 1;
  for (; step < end - at && KeyOf(at[step]) < key; step *= 2) at += step;
  return std::lower_bound(
      at, step < end - at ? at + step : end, key,
      [](const auto& entry, std::string_view wanted) { return KeyOf(entry) < wanted; });
}

/// What is at `at` if that is the entry of `key`.
template <class Iterator>
std::optional<std::string_view> ValueAt(Iterator at, Iterator end, std::string_view key) {
  if (at == end || KeyOf(*at) != key) return std::nullopt;
  return ValueOf(*at);
}

template <PairRange Source>
std::optional<std::string_view> FindUnsorted(const Source& source, std::string_view wanted) {
  for (const auto& [key, value] : source) {
    if (std::string_view(key) == wanted) return std::string_view(value);
  }
  return std::nullopt;
}

template <SortedRange Source>
std::optional<std::string_view> FindSorted(const Source& source, std::string_view wanted) {
  if (std::ranges::size(source) <= kFew) return FindUnsorted(source, wanted);
  const auto at =
      std::lower_bound(source.begin(), source.end(), wanted,
                       [](const auto& entry, std::string_view key) { return KeyOf(entry) < key; });
  return ValueAt(at, source.end(), wanted);
}

/// A range in no order, sorted. Of a key that it has twice the first counts.
template <PairRange Source>
std::vector<std::pair<std::string_view, std::string_view>> Sorted(const Source& source) {
  std::vector<std::pair<std::string_view, std::string_view>> sorted;
  for (const auto& [key, value] : source) {
    sorted.emplace_back(std::string_view(key), std::string_view(value));
  }
  StableSort(sorted, {}, [](const auto& label) { return label.first; });
  return sorted;
}

}  // namespace selector_lookup

template <class Source>
concept ValueSource = selector_lookup::Function<Source> || selector_lookup::Map<Source> ||
                      selector_lookup::PairRange<Source>;

/// The value of `key`, or nothing if it is absent. The view lives as long as the source's strings.
template <ValueSource Source>
std::optional<std::string_view> LookUpValue(const Source& source, const std::string& key) {
  if constexpr (selector_lookup::Function<Source>) {
    using Answer = std::invoke_result_t<const Source&, const std::string&>;
    if constexpr (std::same_as<Answer, const std::string*>) {
      const std::string* const value = source(key);
      return value != nullptr ? std::optional<std::string_view>(*value) : std::nullopt;
    } else {
      // A function that returns strings by value would leave a view of a string that is gone.
      static_assert(std::same_as<Answer, std::optional<std::string_view>> ||
                        std::same_as<Answer, std::string_view> ||
                        std::same_as<Answer, const std::string&>,
                    "a lookup function returns optional<string_view>, string_view, const string& "
                    "or const string*");
      return source(key);
    }
  } else if constexpr (selector_lookup::SortedRange<Source>) {
    return selector_lookup::FindSorted(source, key);
  } else if constexpr (selector_lookup::Map<Source>) {
    const auto found = source.find(key);
    if (found == source.end()) return std::nullopt;
    return std::string_view(found->second);
  } else {
    return selector_lookup::FindUnsorted(source, key);
  }
}

}  // namespace flyball::api

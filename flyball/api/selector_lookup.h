#pragma once

#include <concepts>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>

namespace flyball::api {

/// How selectors read labels and fields, wherever they are kept, without copying them. In this
/// order, a source of values is:
///   1. a function from a key to `std::optional<std::string_view>`, `const std::string*` or
///      `std::string_view` (the last: there always is a value);
///   2. a map with `find(const std::string&)`: std::map, a flat map;
///   3. a range of pairs or of structs with two members, e.g. the
///      `std::span<const std::pair<std::string_view, std::string_view>>` of a frozen view. It is
///      searched from front to back: for as many labels as objects have, that is faster than a
///      binary search. Keys are unique.
namespace selector_lookup {

template <class Source>
concept Function = std::invocable<const Source&, const std::string&>;

template <class Source>
concept Map = requires(const Source& source, const std::string& key) {
  { source.find(key) == source.end() } -> std::convertible_to<bool>;
  { source.find(key)->second } -> std::convertible_to<std::string_view>;
};

template <class Source>
concept PairRange = std::ranges::input_range<const Source&>;

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
  } else if constexpr (selector_lookup::Map<Source>) {
    const auto found = source.find(key);
    if (found == source.end()) return std::nullopt;
    return std::string_view(found->second);
  } else {
    const std::string_view wanted = key;
    for (const auto& [name, value] : source) {
      if (std::string_view(name) == wanted) return std::string_view(value);
    }
    return std::nullopt;
  }
}

}  // namespace flyball::api

#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flyball::api {

/// A map from strings, kept as one sorted vector: the maps of API objects (labels, annotations,
/// resource lists) are small, read far more often than written, and written to the wire in key
/// order. Any insertion or removal invalidates references and iterators.
template <typename V>
class Map {
 public:
  static constexpr bool kSortedByKey = true;
  using value_type = std::pair<std::string, V>;
  using const_iterator = typename std::vector<value_type>::const_iterator;
  using iterator = typename std::vector<value_type>::iterator;

  // The compiler's own constructors and destructor would be constexpr, and clang instantiates those
  // while it still defines std::pair<std::string, V>: an error for a V that holds a Map<V>, as a
  // schema of schemas does.
  Map() {}  // NOLINT(modernize-use-equals-default)
  Map(std::initializer_list<value_type> entries) {
    for (const auto& [key, value] : entries) insert_or_assign(key, value);
  }
  Map(const Map& other) : entries_(other.entries_) {}  // NOLINT(modernize-use-equals-default)
  Map(Map&& other) noexcept : entries_(std::move(other.entries_)) {}
  Map& operator=(const Map&) = default;
  Map& operator=(Map&&) noexcept = default;
  ~Map() {}  // NOLINT(modernize-use-equals-default)

  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  void clear() { entries_.clear(); }
  void reserve(std::size_t n) { entries_.reserve(n); }
  const_iterator begin() const { return entries_.begin(); }
  const_iterator end() const { return entries_.end(); }
  iterator begin() { return entries_.begin(); }
  iterator end() { return entries_.end(); }

  const V* find(std::string_view key) const {
    const auto at = LowerBound(entries_, key);
    return at != entries_.end() && at->first == key ? &at->second : nullptr;
  }
  V* find(std::string_view key) {
    const auto at = LowerBound(entries_, key);
    return at != entries_.end() && at->first == key ? &at->second : nullptr;
  }
  bool contains(std::string_view key) const { return find(key) != nullptr; }

  V& operator[](std::string_view key) {
    // Wire order is key order, so the usual place is the end.
    if (entries_.empty() || std::string_view(entries_.back().first) < key) {
      return entries_.emplace_back(std::string(key), V()).second;
    }
    const auto at = LowerBound(entries_, key);
    if (at->first == key) return at->second;
    return entries_.emplace(at, std::string(key), V())->second;
  }
  /// For decoders, which meet entries by the thousand and in any order, where keeping the order at
  /// each would take time in the square of them: puts an entry behind the others. Until Sort() only
  /// this may be called.
  V& Append(std::string_view key) { return entries_.emplace_back(std::string(key), V()).second; }
  /// Puts the entries in order. Of those with the same key the last stays.
  void Sort() {
    const auto out_of_order = [](const value_type& a, const value_type& b) {
      return a.first >= b.first;
    };
    if (std::ranges::adjacent_find(entries_, out_of_order) == entries_.end()) return;
    std::vector<value_type*> order;
    order.reserve(entries_.size());
    for (value_type& entry : entries_) order.push_back(&entry);
    std::ranges::sort(order, [](const value_type* a, const value_type* b) {
      const int compared = a->first.compare(b->first);
      return compared != 0 ? compared < 0 : a < b;  // in one vector, what came first stands first
    });
    std::vector<value_type> sorted;
    sorted.reserve(entries_.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i + 1 < order.size() && order[i + 1]->first == order[i]->first) continue;
      sorted.push_back(std::move(*order[i]));
    }
    entries_ = std::move(sorted);
  }
  void insert_or_assign(std::string_view key, V value) { (*this)[key] = std::move(value); }
  /// A fresh value under a key, in place of what was there.
  V& emplace_fresh(std::string_view key) {
    const std::size_t before = size();
    V& value = (*this)[key];
    if (size() == before) value = V();
    return value;
  }
  bool erase(std::string_view key) {
    const auto at = LowerBound(entries_, key);
    if (at == entries_.end() || at->first != key) return false;
    entries_.erase(at);
    return true;
  }

  friend bool operator==(const Map& a, const Map& b) { return a.entries_ == b.entries_; }

 private:
  template <typename Entries>
  static auto LowerBound(Entries& entries, std::string_view key) {
    return std::lower_bound(
        entries.begin(), entries.end(), key,
        [](const value_type& entry, std::string_view k) { return entry.first < k; });
  }

  std::vector<value_type> entries_;
};

}  // namespace flyball::api

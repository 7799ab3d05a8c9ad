#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace flyball::controllers::garbage_collector {

/// Texts that many have in common, namespaces and kinds, kept once and known by a number while
/// somebody uses them. Not for several threads at once.
class SharedTexts {
 public:
  using Number = std::uint32_t;

  /// Each call counts as one more user.
  Number Use(std::string_view text) {
    const auto found = numbers_.find(text);
    if (found != numbers_.end()) {
      ++entries_[found->second].users;
      return found->second;
    }
    Number number = static_cast<Number>(entries_.size());
    if (free_.empty()) {
      entries_.emplace_back();
    } else {
      number = free_.back();
      free_.pop_back();
    }
    const auto added = numbers_.emplace(std::string(text), number).first;
    entries_[number] = {&added->first, 1};
    return number;
  }
  void Drop(Number number) {
    Entry& entry = entries_[number];
    if (--entry.users > 0) return;
    numbers_.erase(numbers_.find(*entry.text));
    free_.push_back(number);
  }
  const std::string& operator[](Number number) const { return *entries_[number].text; }
  std::size_t size() const { return numbers_.size(); }

 private:
  struct Entry {
    const std::string* text = nullptr;  // of the map
    std::uint32_t users = 0;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  std::unordered_map<std::string, Number, Hash, std::equal_to<>> numbers_;
  std::deque<Entry> entries_;
  std::vector<Number> free_;
};

}  // namespace flyball::controllers::garbage_collector

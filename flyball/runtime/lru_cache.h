#pragma once

#include <cstddef>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace flyball::runtime {

/// A map that forgets, of more than `capacity` keys, the one that was used the longest ago. Not for
/// several threads at once.
template <typename Value>
class LruCache {
 public:
  explicit LruCache(std::size_t capacity) : capacity_(capacity) {}
  LruCache(const LruCache&) = delete;
  LruCache& operator=(const LruCache&) = delete;

  struct Entry {
    Value& value;  ///< good until the next call
    bool is_new;
  };
  /// Uses a key, which is there from now on.
  Entry Use(std::string_view key) {
    if (const auto found = by_key_.find(key); found != by_key_.end()) {
      nodes_.splice(nodes_.begin(), nodes_, found->second);
      return {nodes_.front().value, false};
    }
    nodes_.emplace_front(std::string(key));
    by_key_.emplace(nodes_.front().key, nodes_.begin());
    if (nodes_.size() > capacity_) {
      by_key_.erase(nodes_.back().key);
      nodes_.pop_back();
    }
    return {nodes_.front().value, true};
  }
  /// Uses a key if it is there; null if it is not. Good until the next call.
  Value* Find(std::string_view key) { return by_key_.contains(key) ? &Use(key).value : nullptr; }
  /// Calls with each key and its value; the last used first. Does not count as a use.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (const Node& node : nodes_) visit(node.key, node.value);
  }

 private:
  struct Node {
    explicit Node(std::string text) : key(std::move(text)) {}
    const std::string key;
    Value value = {};
  };

  const std::size_t capacity_;
  std::list<Node> nodes_;  // the last used first
  std::unordered_map<std::string_view, typename std::list<Node>::iterator> by_key_;
};

}  // namespace flyball::runtime

#include "flyball/sandbox/storage/entry.h"

#include <algorithm>

namespace flyball::sandbox {

std::strong_ordering Compare(const Place& a, const Place& b) {
  if (a.namespace_ == b.namespace_) return a.name <=> b.name;
  const std::size_t common = std::min(a.namespace_.size(), b.namespace_.size());
  const auto order = a.namespace_.substr(0, common) <=> b.namespace_.substr(0, common);
  if (order != std::strong_ordering::equal) return order;
  constexpr unsigned char kEnd = '/';
  if (a.namespace_.size() == common) {
    return kEnd <=> static_cast<unsigned char>(b.namespace_[common]);
  }
  return static_cast<unsigned char>(a.namespace_[common]) <=> kEnd;
}

std::string ToString(const StorageKey& key) {
  if (key.namespace_.empty()) return key.collection + " " + key.name;
  return key.collection + " " + key.namespace_ + "/" + key.name;
}

}  // namespace flyball::sandbox

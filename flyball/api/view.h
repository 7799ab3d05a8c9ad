#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

#include "flyball/api/selector_lookup.h"
#include "flyball/api/time.h"

/// What views are made of: read-only parts that live in one block of memory with their object. All
/// are one pointer wide, null when empty, and trivially destroyed: freeing an object frees a block.
namespace flyball::api {

/// A text: a pointer to its length (seven bits a byte, the lowest first, as in protobuf) and bytes.
class ViewString {
 public:
  constexpr ViewString() = default;
  /// `encoded` points at a length and that many bytes, and outlives this.
  static ViewString FromEncoded(const char* encoded) {
    ViewString text;
    text.encoded_ = encoded;
    return text;
  }

  std::string_view view() const {
    if (!encoded_) return {};
    const char* at = encoded_;
    std::size_t size = 0;
    for (int shift = 0;; shift += 7, ++at) {
      const auto byte = static_cast<unsigned char>(*at);
      size |= static_cast<std::size_t>(byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    return {at + 1, size};
  }
  operator std::string_view() const { return view(); }
  bool empty() const { return encoded_ == nullptr; }
  /// Where the text is kept: equal for texts that are shared.
  const char* encoded() const { return encoded_; }

  friend bool operator==(ViewString a, ViewString b) {
    return a.encoded_ == b.encoded_ || a.view() == b.view();
  }
  friend bool operator==(ViewString a, std::string_view b) { return a.view() == b; }
  friend auto operator<=>(ViewString a, ViewString b) { return a.view() <=> b.view(); }

 private:
  const char* encoded_ = nullptr;
};

/// A list: a pointer to its elements, whose number stands in the eight bytes before them.
template <typename T>
class ViewList {
 public:
  static_assert(alignof(T) <= 8);
  static constexpr std::size_t kHeader = 8;

  constexpr ViewList() = default;

  std::size_t size() const {
    if (!elements_) return 0;
    std::uint64_t n;
    std::memcpy(&n, static_cast<const char*>(elements_) - kHeader, sizeof(n));
    return n;
  }
  bool empty() const { return elements_ == nullptr; }
  const T* begin() const { return static_cast<const T*>(elements_); }
  const T* end() const { return begin() + size(); }
  const T& operator[](std::size_t i) const { return begin()[i]; }
  operator std::span<const T>() const { return {begin(), size()}; }

 private:
  const void* elements_ = nullptr;
};

/// A moment in whole seconds, which is all that protobuf carries of a Time.
class ViewTime {
 public:
  constexpr ViewTime() = default;
  static ViewTime FromUnix(std::int64_t seconds) {
    ViewTime time;
    time.seconds_ = seconds;
    return time;
  }
  bool IsZero() const { return *this == ViewTime(); }
  Time ToTime() const { return Time::FromUnix(seconds_); }
  operator Time() const { return ToTime(); }
  friend constexpr auto operator<=>(const ViewTime&, const ViewTime&) = default;

 private:
  std::int64_t seconds_ = Time().unix_seconds();
};

/// One member of a map.
struct ViewEntry {
  ViewString key;
  ViewString value;

  friend bool operator==(const ViewEntry&, const ViewEntry&) = default;
};

/// A map from texts to texts in the order of its keys, each of which it has once: whatever the
/// order of the wire was, the decoder has sorted it. Quantities are the texts that the server wrote
/// them with.
class ViewMap {
 public:
  static constexpr bool kSortedByKey = true;

  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  const ViewEntry* begin() const { return entries_.begin(); }
  const ViewEntry* end() const { return entries_.end(); }
  std::optional<std::string_view> find(std::string_view key) const {
    return selector_lookup::FindSorted(*this, key);
  }
  bool contains(std::string_view key) const { return find(key).has_value(); }

  /// Maps that are shared cost one comparison.
  friend bool operator==(const ViewMap& a, const ViewMap& b) {
    return a.begin() == b.begin() || std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  ViewList<ViewEntry> entries_;
};

}  // namespace flyball::api

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace flyball::cache {

/// Finds numbers by a hash of what they stand for, which whoever asks keeps elsewhere. It has no
/// nodes: looking for one is a look at places that follow each other, eight bytes each.
///
/// One thread at a time.
class NumberTable {
 public:
  using Number = std::uint32_t;
  static constexpr Number kNone = UINT32_MAX;

  /// The number with this hash that `is_it`; kNone if there is none.
  template <typename IsIt>
  Number Find(std::uint32_t hash, const IsIt& is_it) const {
    for (std::size_t at = HomeOf(hash); places_[at].number != kNone; at = After(at)) {
      if (places_[at].hash == hash && is_it(places_[at].number)) return places_[at].number;
    }
    return kNone;
  }

  /// One that is not here.
  void Insert(std::uint32_t hash, Number number);
  /// One that is.
  void Erase(std::uint32_t hash, Number number);

  std::size_t size() const { return size_; }

 private:
  struct Place {
    std::uint32_t hash = 0;
    Number number = kNone;
  };

  std::size_t HomeOf(std::uint32_t hash) const { return hash & (places_.size() - 1); }
  std::size_t After(std::size_t at) const { return (at + 1) & (places_.size() - 1); }
  void Grow();

  std::vector<Place> places_{8};  // a power of two, at least a quarter of them free
  std::size_t size_ = 0;
};

}  // namespace flyball::cache

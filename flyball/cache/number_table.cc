#include "flyball/cache/number_table.h"

#include <utility>

namespace flyball::cache {

void NumberTable::Insert(std::uint32_t hash, Number number) {
  if (++size_ * 4 > places_.size() * 3) Grow();
  std::size_t at = HomeOf(hash);
  while (places_[at].number != kNone) at = After(at);
  places_[at] = {hash, number};
}

void NumberTable::Grow() {
  const std::vector<Place> old = std::exchange(places_, std::vector<Place>(places_.size() * 2));
  for (const Place& place : old) {
    if (place.number == kNone) continue;
    std::size_t at = HomeOf(place.hash);
    while (places_[at].number != kNone) at = After(at);
    places_[at] = place;
  }
}

/// Those behind it move up, so that no search ends at a hole in front of what it looks for.
void NumberTable::Erase(std::uint32_t hash, Number number) {
  --size_;
  std::size_t hole = HomeOf(hash);
  while (places_[hole].number != number) hole = After(hole);
  const std::size_t mask = places_.size() - 1;
  for (std::size_t at = After(hole); places_[at].number != kNone; at = After(at)) {
    const std::size_t from_home = (at - HomeOf(places_[at].hash)) & mask;
    if (from_home < ((at - hole) & mask)) continue;  // its search begins behind the hole
    places_[hole] = places_[at];
    hole = at;
  }
  places_[hole] = {};
}

}  // namespace flyball::cache

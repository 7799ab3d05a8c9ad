#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "flyball/runtime/trace/turn.h"

namespace flyball::runtime {

/// The last turns of a key, in little memory: packed, texts that are long cut short, and turns that
/// came to the same as the one before told as one with it. One thread.
class TurnRing {
 public:
  static constexpr std::size_t kMostBytes = 1024;

  /// The oldest turns go if there is no room.
  void Add(Turn turn);

  /// The oldest first. Times are exact to the microsecond.
  std::vector<Turn> Turns() const;

  std::size_t bytes() const { return packed_.size(); }

 private:
  std::string packed_;  // turns, each after its length
  std::size_t last_ = 0;
};

}  // namespace flyball::runtime

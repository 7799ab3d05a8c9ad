#pragma once

#include <chrono>
#include <optional>
#include <utility>

#include "flyball/transport/internal/deadlines.h"

namespace flyball::serving {

/// One deadline at a time, which goes with its owner. On the network thread.
class Alarm {
 public:
  explicit Alarm(transport::Deadlines& deadlines) : deadlines_(deadlines) {}
  ~Alarm() { Clear(); }
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

  /// In place of the one before. `ring` may set it again, or destroy the owner.
  template <typename Ring>
  void Set(std::chrono::nanoseconds delay, Ring ring) {
    Clear();
    entry_ = deadlines_.Add(delay, [this, ring = std::move(ring)]() mutable {
      entry_.reset();
      ring();
    });
  }
  void Clear() {
    if (entry_) deadlines_.Remove(*std::exchange(entry_, std::nullopt));
  }
  bool set() const { return entry_.has_value(); }

 private:
  transport::Deadlines& deadlines_;
  std::optional<transport::Deadlines::Entry> entry_;
};

}  // namespace flyball::serving

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "flyball/runtime/trace/reconcile_record.h"

namespace flyball::runtime {

/// The last reconciles of a key, in little memory: packed, with long texts cut short, and with
/// reconciles that did the same as the one before counted in one record with it. One thread.
class ReconcileHistory {
 public:
  static constexpr std::size_t kMostBytes = 1024;

  /// The oldest records are dropped if there is no room.
  void Add(ReconcileRecord record);

  /// The oldest first. Times are exact to the microsecond.
  std::vector<ReconcileRecord> Records() const;

  std::size_t bytes() const { return packed_.size(); }

 private:
  std::string packed_;  // records, each after its length
  std::size_t last_ = 0;
};

}  // namespace flyball::runtime

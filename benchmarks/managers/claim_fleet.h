#pragma once

#include <string>
#include <utility>
#include <vector>

#include "benchmarks/managers/stage.h"

namespace flyball::bench {

/// Claims in some namespaces for which simulated storage makes a volume each at once, and deletes
/// it with its claim, as somebody has them who makes them, deletes them, and waits. One thread.
class ClaimFleet {
 public:
  ClaimFleet(Stage& stage, std::vector<std::string> spaces, int each)
      : stage_(stage), spaces_(std::move(spaces)), each_(each) {}

  static std::string NameOf(int number) { return "data-" + std::to_string(number); }

  /// The class that the claims are of. Once, before all else.
  Result<> CreateClass() const;
  Result<> Create() const;
  /// Until each has its volume, by the status of both.
  Result<> AwaitBound() const;
  Result<> Delete() const;
  /// Until neither claims nor volumes are left.
  Result<> AwaitGone() const;

 private:
  int count() const { return static_cast<int>(spaces_.size()) * each_; }
  api::ObjectKey KeyOf(int number) const;
  bool IsBound(int number) const;

  Stage& stage_;
  const std::vector<std::string> spaces_;
  const int each_;
};

}  // namespace flyball::bench

#pragma once

#include <optional>
#include <string>

#include "benchmarks/managers/loads.h"

namespace flyball::bench {

/// Both sides of a comparison; one of them where only one was asked for.
struct PeerCosts {
  std::optional<RunCosts> theirs;
  std::optional<RunCosts> ours;
};

/// The table, for people: a block for each phase; upstream's, ours, ours as a part of theirs, what
/// that may be at most, and whether it is.
std::string PeerTable(const Load& load, const Size& size, const Stage::Touches& touches,
                      const PeerCosts& costs);

}  // namespace flyball::bench

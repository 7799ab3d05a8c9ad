#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/base/clock.h"
#include "flyball/base/error.h"

namespace flyball::runtime {

/// What a reconcile wrote: one object, or several in a row in the same way.
struct TracedWrite {
  enum class Verb : std::uint8_t { kCreate, kUpdate, kPatch, kDelete };

  Verb verb = Verb::kUpdate;
  std::string resource = {};  ///< "replicasets.apps"
  std::string subresource = {};
  std::string name = {};  ///< of the first of them
  std::uint32_t times = 1;
  std::optional<ErrorCode> refused = std::nullopt;
  std::string error = {};  ///< why, in the server's words

  friend bool operator==(const TracedWrite&, const TracedWrite&) = default;
};
std::string_view ToString(TracedWrite::Verb verb);

/// One reconcile of a key: what triggered it, what it read, decided and wrote, and how it ended.
/// `flyball trace` and /debug/trace show these.
struct ReconcileRecord {
  enum class End : std::uint8_t {
    kDone,
    kRequeueAfter,        ///< after `requeue_after`
    kRequeueWithBackoff,  ///< without an error
    kFailed,
    kGivenUp,
  };

  WallTime time = {};  ///< when it began; of several that are told as one, the last
  std::chrono::nanoseconds took = {};
  std::uint32_t times = 1;   ///< so many in a row came to the same, and wrote nothing
  WallTime since = {};       ///< when the first of them began
  std::string cause = {};    ///< the first trigger: "pods shop/web-x2 updated"
  std::uint32_t causes = 0;  ///< how many triggers
  /// How far the caches were that the controller reads, in their order.
  std::vector<std::string> reads = {};
  std::vector<std::string> decided = {};
  std::vector<TracedWrite> writes = {};
  std::uint32_t writes_left_out = 0;  ///< for want of room
  End end = End::kDone;
  std::chrono::nanoseconds requeue_after = {};
  std::string error = {};  ///< if it failed

  friend bool operator==(const ReconcileRecord&, const ReconcileRecord&) = default;
};
std::string_view ToString(ReconcileRecord::End end);

}  // namespace flyball::runtime

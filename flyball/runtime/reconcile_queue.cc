#include "flyball/runtime/reconcile_queue.h"

#include <algorithm>

namespace flyball::runtime {

Error QueueRunner::ErrorOf(const std::exception& thrown) {
  return {ErrorCode::kInternal, std::string("exception: ") + thrown.what()};
}

Turn QueueRunner::BeginTurn(std::string_view key, int retries, WallTime now) {
  TraceLog::Asks asks = trace_.TakeAsks(key);
  Turn turn{.time = now, .cause = std::move(asks.first), .causes = asks.count};
  if (turn.causes == 0) {
    turn.cause = retries > 0 ? "retry " + std::to_string(retries) : "it was time";
  }
  turn.reads.reserve(deps_.reads.size());
  for (const ReadCache& read : deps_.reads) turn.reads.push_back(read.cache->resource_version());
  return turn;
}

std::vector<Write> QueueRunner::Resolve(std::vector<Write> writes) const {
  constexpr int kAttempts = 3;
  constexpr std::chrono::nanoseconds kBetween = std::chrono::seconds(1);

  std::erase_if(writes, [this](const Write& write) { return !deps_.gate.Knows(write.resource); });
  for (Write& write : writes) {
    if (write.kind != Write::Kind::kAmbiguous) continue;
    // If the server acted, it did so before it answers this: a list, of one object at most, that is
    // read from where the objects are and not from a cache of theirs.
    write.kind = Write::Kind::kStored;
    metrics_.ambiguous_writes.Increment();
    for (int attempt = 0; attempt < kAttempts && write.resource_version.empty(); ++attempt) {
      if (attempt > 0 && !deps_.executor.clock().SleepFor(kBetween, stop_.get_token())) break;
      meta::v1::ListOptions one;
      one.limit = 1;
      const auto list = deps_.reader.Metadata(write.resource).ListIn("", one);
      if (list) write.resource_version = list->metadata.resourceVersion;
    }
    // Unknown: later than anything, so that it is waited for until the wait is given up.
    if (write.resource_version.empty()) write.resource_version = std::string(40, '9');
  }
  return writes;
}

}  // namespace flyball::runtime

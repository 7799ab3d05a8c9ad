#include "flyball/runtime/reconcile_queue.h"

#include <algorithm>
#include <unordered_map>

namespace flyball::runtime {

Error QueueRunner::ErrorOf(const std::exception& thrown) {
  return {ErrorCode::kInternal, std::string("exception: ") + thrown.what()};
}

Turn QueueRunner::BeginTurn(Asks asks, int retries, WallTime now) const {
  Turn turn{.time = now, .cause = std::move(asks.first), .causes = asks.count};
  if (turn.causes == 0) {
    turn.cause = retries > 0 ? "retry " + std::to_string(retries) : "it was time";
  }
  turn.reads.reserve(deps_.reads.size());
  for (const ReadCache& read : deps_.reads) turn.reads.push_back(read.cache->resource_version());
  return turn;
}

QueueTrace QueueRunner::TraceOf(QueueReport report, std::string resource,
                                std::span<const std::string> keys) const {
  QueueTrace trace{.name = std::move(report.name), .resource = std::move(resource)};
  if (trace.resource.empty() && !deps_.reads.empty()) trace.resource = deps_.reads[0].resource;
  std::unordered_map<std::string, KeyReport> now;
  for (KeyReport& key : report.keys) {
    if (!keys.empty() && std::ranges::find(keys, key.key) == keys.end()) continue;
    std::string name = key.key;
    now.emplace(std::move(name), std::move(key));
  }
  for (auto& [key, turns] : trace_.Of(keys)) {
    auto known = now.extract(key);
    trace.keys.push_back({.now = known.empty() ? KeyReport{.key = key} : std::move(known.mapped()),
                          .turns = std::move(turns)});
  }
  // Those that have not had a turn yet, or had it too long ago.
  const std::size_t with_turns = trace.keys.size();
  for (auto& [key, report_of_key] : now) trace.keys.push_back({.now = std::move(report_of_key)});
  std::ranges::sort(trace.keys.begin() + static_cast<std::ptrdiff_t>(with_turns), trace.keys.end(),
                    {}, [](const KeyTrace& of) { return of.now.key; });
  return trace;
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

template class ReconcileQueue<api::ObjectKey>;
template class ReconcileQueue<std::string>;

}  // namespace flyball::runtime

#include "flyball/runtime/reconcile_queue.h"

#include <algorithm>
#include <unordered_map>

#include "flyball/client/unreadable.h"

namespace flyball::runtime {

Error QueueRunner::ErrorOf(const std::exception& thrown) {
  return {ErrorCode::kInternal, std::string("exception: ") + thrown.what()};
}

std::optional<std::string> QueueRunner::WhyUnreadable(const std::string& keys_of,
                                                      const api::ObjectKey& key) const {
  const auto read = std::ranges::find_if(deps_.reads, [&](const ReadCache& its) {
    return keys_of.empty() || its.resource == keys_of;
  });
  if (read == deps_.reads.end() || read->cache->keep() != cache::Keep::kObjects)
    return std::nullopt;
  const cache::Object object = read->cache->store().Get(key.namespace_, key.name);
  const std::string* const reason = client::UnreadableReason(object);
  return reason == nullptr ? std::nullopt : std::optional(*reason);
}

ReconcileRecord QueueRunner::BeginRecord(Triggers triggers, int retries, WallTime now) const {
  ReconcileRecord record{.time = now, .cause = std::move(triggers.first), .causes = triggers.count};
  if (record.causes == 0) {
    record.cause = retries > 0 ? "retry " + std::to_string(retries) : "it was time";
  }
  record.reads.reserve(deps_.reads.size());
  for (const ReadCache& read : deps_.reads) record.reads.push_back(read.cache->resource_version());
  return record;
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
  for (auto& [key, records] : trace_.Of(keys)) {
    auto known = now.extract(key);
    trace.keys.push_back({.now = known.empty() ? KeyReport{.key = key} : std::move(known.mapped()),
                          .records = std::move(records)});
  }
  // Keys that have not been reconciled yet, or so long ago that the record is dropped.
  const std::size_t with_records = trace.keys.size();
  for (auto& [key, report_of_key] : now) trace.keys.push_back({.now = std::move(report_of_key)});
  std::ranges::sort(trace.keys.begin() + static_cast<std::ptrdiff_t>(with_records),
                    trace.keys.end(), {}, [](const KeyTrace& of) { return of.now.key; });
  return trace;
}

std::vector<Write> QueueRunner::Awaited(std::vector<Write> writes) const {
  std::erase_if(writes,
                [this](const Write& write) { return !deps_.consistency.Tracks(write.resource); });
  for (const Write& write : writes) {
    if (write.kind == Write::Kind::kAmbiguous) metrics_.ambiguous_writes.Increment();
  }
  return writes;
}

template class ReconcileQueue<api::ObjectKey>;
template class ReconcileQueue<std::string>;

}  // namespace flyball::runtime

#include "flyball/controllers/node_ipam/ledger.h"

#include <algorithm>
#include <utility>

namespace flyball::controllers::node_ipam {

using common::IpPrefix;

Ledger::Metrics Ledger::MetricsOf(const Partition& partition, MetricRegistry* metrics) {
  if (metrics == nullptr) return {};
  const std::string range = partition.range().ToString();
  const std::vector<std::string> labels = {"clusterCIDR"};
  // PARITY: so it is spelt.
  metrics
      ->Gauges({.name = "node_ipam_controller_cirdset_max_cidrs",
                .help = "[ALPHA] Ranges for nodes that a range of the cluster's has.",
                .labels = labels})
      .With({range})
      .Set(static_cast<double>(partition.size()));
  return {.taken = metrics
                       ->Counters({.name = "node_ipam_controller_cidrset_cidrs_allocations_total",
                                   .help = "[ALPHA] Ranges that were free, and are in use now.",
                                   .labels = labels})
                       .With({range}),
          .freed = metrics
                       ->Counters({.name = "node_ipam_controller_cidrset_cidrs_releases_total",
                                   .help = "[ALPHA] Ranges that were in use, and are free now.",
                                   .labels = labels})
                       .With({range}),
          .usage = metrics
                       ->Gauges({.name = "node_ipam_controller_cidrset_usage_cidrs",
                                 .help = "[ALPHA] The share of ranges that are in use.",
                                 .labels = labels})
                       .With({range}),
          .tries = metrics
                       ->Histograms(
                           {.name = "node_ipam_controller_cidrset_allocation_tries_per_request",
                            .help = "[ALPHA] Ranges in use before the one that a node was given.",
                            .labels = labels},
                           {1, 5, 25, 125, 625})
                       .With({range})};
}

Ledger::Ledger(const RangePlan& plan, MetricRegistry* metrics) {
  const MutexLock lock(mutex_);
  for (const Partition& partition : plan.partitions) {
    Range& range = ranges_.emplace_back(Range{.partition = partition,
                                              .holders = Holders(partition.size()),
                                              .metrics = MetricsOf(partition, metrics)});
    for (const IpPrefix& service : plan.services) {
      if (const auto parts = partition.Covering(service)) Hold(range, *parts);
    }
  }
}

void Ledger::Hold(Range& range, const Parts& parts) {
  range.metrics.taken.Add(static_cast<double>(range.holders.Hold(parts)));
  range.metrics.usage.Set(static_cast<double>(range.holders.held()) /
                          static_cast<double>(range.holders.size()));
}

void Ledger::Release(Range& range, const Parts& parts) {
  range.metrics.freed.Add(static_cast<double>(range.holders.Release(parts)));
  range.metrics.usage.Set(static_cast<double>(range.holders.held()) /
                          static_cast<double>(range.holders.size()));
}

template <typename Do>
void Ledger::ForEach(const Ranges& ranges, Do&& act) {
  for (std::size_t i = 0; i < ranges.size() && i < ranges_.size(); ++i) {
    const auto prefix = IpPrefix::ParseSloppily(ranges[i]);
    const auto parts = prefix ? ranges_[i].partition.Covering(*prefix) : std::nullopt;
    if (parts) act(ranges_[i], *parts);
  }
}

void Ledger::Drop(Promises::iterator promise) {
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    const std::uint64_t number = promise->second.numbers[i];
    Release(ranges_[i], {number, number});
  }
  promises_.erase(promise);
}

Ranges Ledger::RangesOf(const Promised& promised) const {
  Ranges ranges;
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    ranges.push_back(ranges_[i].partition.Part(promised.numbers[i]).ToString());
  }
  return ranges;
}

void Ledger::Show(std::string_view name, std::string_view uid, const Ranges& ranges) {
  const MutexLock lock(mutex_);
  ForEach(ranges, [](Range& range, const Parts& parts) { Hold(range, parts); });
  const auto promise = promises_.find(name);
  if (promise == promises_.end()) return;
  // Not before what is shown is held, or it would be free between the two.
  if (!ranges.empty() && promise->second.uid == uid) Drop(promise);
}

void Ledger::Hide(const Ranges& ranges) {
  const MutexLock lock(mutex_);
  ForEach(ranges, [](Range& range, const Parts& parts) { Release(range, parts); });
}

void Ledger::Forget(std::string_view name, std::string_view uid) {
  const MutexLock lock(mutex_);
  const auto promise = promises_.find(name);
  if (promise != promises_.end() && promise->second.uid == uid) Drop(promise);
}

void Ledger::Settle(std::string_view name) {
  const MutexLock lock(mutex_);
  if (const auto promise = promises_.find(name); promise != promises_.end()) Drop(promise);
}

Result<Ranges> Ledger::Promise(std::string_view name, std::string_view uid) {
  const MutexLock lock(mutex_);
  if (const auto promise = promises_.find(name); promise != promises_.end()) {
    if (promise->second.uid == uid) return RangesOf(promise->second);
    Drop(promise);
  }
  Promised promised{.uid = std::string(uid), .numbers = {}};
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    const auto number = ranges_[i].holders.NextFree(ranges_[i].next);
    if (!number) {
      return Fail(ErrorCode::kUnavailable,
                  "failed to allocate cidr from cluster cidr at idx:" + std::to_string(i) +
                      ": CIDR allocation failed; there are no remaining CIDRs left to allocate in "
                      "the accepted range");
    }
    promised.numbers.push_back(*number);
  }
  // Only now that there is one of each.
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    Range& range = ranges_[i];
    const std::uint64_t number = promised.numbers[i];
    const std::uint64_t size = range.partition.size();
    range.metrics.tries.Observe(static_cast<double>((number + size - range.next) % size));
    range.next = (number + 1) % size;
    Hold(range, {number, number});
  }
  Ranges ranges = RangesOf(promised);
  promises_.emplace(name, std::move(promised));
  return ranges;
}

void Ledger::Doubt(std::string_view name) {
  const MutexLock lock(mutex_);
  if (const auto promise = promises_.find(name); promise != promises_.end()) {
    promise->second.in_doubt = true;
  }
}

void Ledger::TakeBack(std::string_view name) {
  const MutexLock lock(mutex_);
  const auto promise = promises_.find(name);
  if (promise != promises_.end() && !promise->second.in_doubt) Drop(promise);
}

Result<> Ledger::Check(std::string_view name, const Ranges& ranges) const {
  const MutexLock lock(mutex_);
  const std::string node(name);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const auto prefix = IpPrefix::ParseSloppily(ranges[i]);
    if (!prefix) {
      return Fail(ErrorCode::kInvalid, "failed to parse node " + node + ", CIDR " + ranges.front());
    }
    if (i >= ranges_.size()) {
      return Fail(ErrorCode::kInvalid, "node:" + node + " has an allocated cidr: " + ranges[i] +
                                           " at index:" + std::to_string(i) +
                                           " that does not exist in cluster cidrs configuration");
    }
    const Partition& partition = ranges_[i].partition;
    if (partition.Covering(*prefix)) continue;
    const std::string range = prefix->ToString();
    return Fail(ErrorCode::kInvalid, "failed to mark cidr[" + range + "] at idx [" +
                                         std::to_string(i) + "] as occupied for node: " + node +
                                         ": cidr " + range + " is out the range of cluster cidr " +
                                         partition.range().ToString());
  }
  return {};
}

std::uint64_t Ledger::held(std::size_t range) const {
  const MutexLock lock(mutex_);
  return ranges_.at(range).holders.held();
}

std::size_t Ledger::promises() const {
  const MutexLock lock(mutex_);
  return promises_.size();
}

}  // namespace flyball::controllers::node_ipam

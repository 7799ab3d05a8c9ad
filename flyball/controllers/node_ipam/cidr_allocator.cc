#include "flyball/controllers/node_ipam/cidr_allocator.h"

#include <algorithm>
#include <utility>

namespace flyball::controllers::node_ipam {

using common::IpPrefix;

CidrAllocator::Metrics CidrAllocator::MetricsOf(const Partition& partition,
                                                MetricRegistry* metrics) {
  if (metrics == nullptr) return {};
  const std::string range = partition.range().ToString();
  const std::vector<std::string> labels = {"clusterCIDR"};
  // PARITY: so it is spelt.
  metrics
      ->Gauges({.name = "node_ipam_controller_cirdset_max_cidrs",
                .help = "[ALPHA] Number of node CIDRs that a cluster CIDR can be divided into.",
                .labels = labels})
      .With({range})
      .Set(static_cast<double>(partition.size()));
  return {
      .taken =
          metrics
              ->Counters(
                  {.name = "node_ipam_controller_cidrset_cidrs_allocations_total",
                   .help =
                       "[ALPHA] Number of node CIDRs that were allocated out of a cluster CIDR.",
                   .labels = labels})
              .With({range}),
      .freed =
          metrics
              ->Counters(
                  {.name = "node_ipam_controller_cidrset_cidrs_releases_total",
                   .help =
                       "[ALPHA] Number of node CIDRs that were released back to a cluster CIDR.",
                   .labels = labels})
              .With({range}),
      .usage = metrics
                   ->Gauges({.name = "node_ipam_controller_cidrset_usage_cidrs",
                             .help = "[ALPHA] Share of a cluster CIDR's node CIDRs that are "
                                     "allocated, from 0 to 1.",
                             .labels = labels})
                   .With({range}),
      .tries =
          metrics
              ->Histograms({.name = "node_ipam_controller_cidrset_allocation_tries_per_request",
                            .help = "[ALPHA] Number of occupied node CIDRs that were passed over "
                                    "before a free one was found for a Node.",
                            .labels = labels},
                           {1, 5, 25, 125, 625})
              .With({range})};
}

CidrAllocator::CidrAllocator(const RangePlan& plan, MetricRegistry* metrics) {
  const MutexLock lock(mutex_);
  for (const Partition& partition : plan.partitions) {
    Range& range = ranges_.emplace_back(Range{.partition = partition,
                                              .ref_counts = CidrRefCounts(partition.size()),
                                              .metrics = MetricsOf(partition, metrics)});
    for (const IpPrefix& service : plan.services) {
      if (const auto parts = partition.Covering(service)) Hold(range, *parts);
    }
  }
}

void CidrAllocator::Hold(Range& range, const Parts& parts) {
  range.metrics.taken.Add(static_cast<double>(range.ref_counts.Hold(parts)));
  range.metrics.usage.Set(static_cast<double>(range.ref_counts.held()) /
                          static_cast<double>(range.ref_counts.size()));
}

void CidrAllocator::Release(Range& range, const Parts& parts) {
  range.metrics.freed.Add(static_cast<double>(range.ref_counts.Release(parts)));
  range.metrics.usage.Set(static_cast<double>(range.ref_counts.held()) /
                          static_cast<double>(range.ref_counts.size()));
}

CidrAllocator::Shown CidrAllocator::PartsOf(const Ranges& ranges) const {
  Shown shown;
  for (std::size_t i = 0; i < ranges.size() && i < ranges_.size(); ++i) {
    const auto prefix = IpPrefix::ParseSloppily(ranges[i]);
    const auto parts = prefix ? ranges_[i].partition.Covering(*prefix) : std::nullopt;
    if (parts) shown.emplace_back(i, *parts);
  }
  return shown;
}

void CidrAllocator::Release(const Shown& shown) {
  for (const auto& [range, parts] : shown) Release(ranges_[range], parts);
}

void CidrAllocator::Drop(Reservations::iterator reservation) {
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    const std::uint64_t number = reservation->second.numbers[i];
    Release(ranges_[i], {number, number});
  }
  reservations_.erase(reservation);
}

Ranges CidrAllocator::RangesOf(const Reservation& reserved) const {
  Ranges ranges;
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    ranges.push_back(ranges_[i].partition.Part(reserved.numbers[i]).ToString());
  }
  return ranges;
}

void CidrAllocator::Show(std::string_view name, std::string_view uid, const Ranges& ranges) {
  const MutexLock lock(mutex_);
  unknown_.erase(std::string(uid));
  // First what is, then what was: nothing that is in both is free between the two.
  Shown now = PartsOf(ranges);
  for (const auto& [range, parts] : now) Hold(ranges_[range], parts);
  Shown& shown = shown_[std::string(uid)];
  Release(shown);
  shown = std::move(now);
  const auto reservation = reservations_.find(name);
  if (reservation == reservations_.end()) return;
  // Not before what is shown is held, or it would be free between the two.
  if (!ranges.empty() && reservation->second.uid == uid) Drop(reservation);
}

void CidrAllocator::ShowUnreadable(std::string_view name, std::string_view uid) {
  const MutexLock lock(mutex_);
  if (!shown_.contains(uid)) unknown_.emplace(uid, name);
}

void CidrAllocator::Forget(std::string_view name, std::string_view uid) {
  const MutexLock lock(mutex_);
  unknown_.erase(std::string(uid));
  if (const auto shown = shown_.find(uid); shown != shown_.end()) {
    Release(shown->second);
    shown_.erase(shown);
  }
  const auto reservation = reservations_.find(name);
  if (reservation != reservations_.end() && reservation->second.uid == uid) Drop(reservation);
}

void CidrAllocator::Settle(std::string_view name) {
  const MutexLock lock(mutex_);
  if (const auto reservation = reservations_.find(name); reservation != reservations_.end())
    Drop(reservation);
}

Result<Ranges> CidrAllocator::Reserve(std::string_view name, std::string_view uid) {
  const MutexLock lock(mutex_);
  if (const auto reservation = reservations_.find(name); reservation != reservations_.end()) {
    if (reservation->second.uid == uid) return RangesOf(reservation->second);
    Drop(reservation);
  }
  if (!unknown_.empty()) {
    return Fail(ErrorCode::kUnavailable,
                "failed to allocate cidr from cluster cidr: node " + unknown_.begin()->second +
                    " cannot be decoded, so that its podCIDRs are not known");
  }
  Reservation reserved{.uid = std::string(uid), .numbers = {}};
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    const auto number = ranges_[i].ref_counts.NextFree(ranges_[i].next);
    if (!number) {
      return Fail(ErrorCode::kUnavailable,
                  "failed to allocate cidr from cluster cidr at idx:" + std::to_string(i) +
                      ": CIDR allocation failed; there are no remaining CIDRs left to allocate in "
                      "the accepted range");
    }
    reserved.numbers.push_back(*number);
  }
  // Only now that there is one of each.
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    Range& range = ranges_[i];
    const std::uint64_t number = reserved.numbers[i];
    const std::uint64_t size = range.partition.size();
    range.metrics.tries.Observe(static_cast<double>((number + size - range.next) % size));
    range.next = (number + 1) % size;
    Hold(range, {number, number});
  }
  Ranges ranges = RangesOf(reserved);
  reservations_.emplace(name, std::move(reserved));
  return ranges;
}

void CidrAllocator::Doubt(std::string_view name) {
  const MutexLock lock(mutex_);
  if (const auto reservation = reservations_.find(name); reservation != reservations_.end()) {
    reservation->second.in_doubt = true;
  }
}

void CidrAllocator::TakeBack(std::string_view name) {
  const MutexLock lock(mutex_);
  const auto reservation = reservations_.find(name);
  if (reservation != reservations_.end() && !reservation->second.in_doubt) Drop(reservation);
}

Result<> CidrAllocator::Check(std::string_view name, const Ranges& ranges) const {
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

std::uint64_t CidrAllocator::held(std::size_t range) const {
  const MutexLock lock(mutex_);
  return ranges_.at(range).ref_counts.held();
}

std::size_t CidrAllocator::reservations() const {
  const MutexLock lock(mutex_);
  return reservations_.size();
}

}  // namespace flyball::controllers::node_ipam

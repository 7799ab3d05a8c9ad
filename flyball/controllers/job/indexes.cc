#include "flyball/controllers/job/indexes.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "flyball/controllers/common/go_number.h"

namespace flyball::controllers::job {
namespace {

/// "3" or "3-5". What comes after that is not looked at.
std::optional<Indexes::Interval> ParseInterval(std::string_view text) {
  const std::size_t dash = text.find('-');
  const auto first = common::ParseGoNumber(text.substr(0, dash));
  if (!first || *first < 0) return std::nullopt;
  if (dash == std::string_view::npos) return Indexes::Interval{*first, *first};
  std::string_view rest = text.substr(dash + 1);
  rest = rest.substr(0, rest.find('-'));
  const auto last = common::ParseGoNumber(rest);
  if (!last || *last < *first) return std::nullopt;
  return Indexes::Interval{*first, *last};
}

}  // namespace

Indexes::Indexes(const std::set<std::int64_t>& indexes) {
  for (const std::int64_t index : indexes) Append({index, index});
}

Indexes Indexes::Parse(std::string_view text, std::int64_t count) {
  Indexes parsed;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    auto interval = ParseInterval(text.substr(0, comma));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    if (!interval) continue;
    if (interval->first >= count) break;
    interval->last = std::min(interval->last, count - 1);
    if (parsed.empty() || interval->first > parsed.intervals_.back().last) {
      parsed.Append(*interval);
      continue;
    }
    Indexes one;  // out of order, which nobody writes
    one.Append(*interval);
    parsed = parsed.With(one);
  }
  return parsed;
}

void Indexes::Append(Interval interval) {
  if (!intervals_.empty() && interval.first <= intervals_.back().last + 1) {
    intervals_.back().last = std::max(intervals_.back().last, interval.last);
  } else {
    intervals_.push_back(interval);
  }
}

Indexes Indexes::With(const Indexes& others) const {
  std::vector<Interval> all;
  all.reserve(intervals_.size() + others.intervals_.size());
  std::ranges::merge(intervals_, others.intervals_, std::back_inserter(all), {}, &Interval::first,
                     &Interval::first);
  Indexes merged;
  for (const Interval& interval : all) merged.Append(interval);
  return merged;
}

std::int64_t Indexes::total() const {
  std::int64_t total = 0;
  for (const Interval& interval : intervals_) total += interval.last - interval.first + 1;
  return total;
}

bool Indexes::Has(std::int64_t index) const {
  const auto found = std::ranges::lower_bound(intervals_, index, {}, &Interval::last);
  return found != intervals_.end() && found->first <= index;
}

std::int64_t Indexes::InCommonWith(const Indexes& others) const {
  std::int64_t total = 0;
  auto a = intervals_.begin();
  auto b = others.intervals_.begin();
  while (a != intervals_.end() && b != others.intervals_.end()) {
    const std::int64_t overlap = std::min(a->last, b->last) - std::max(a->first, b->first) + 1;
    total += std::max(overlap, std::int64_t{0});
    a->last < b->last ? ++a : ++b;
  }
  return total;
}

std::vector<std::int64_t> Indexes::FirstMissing(std::size_t most, std::int64_t count) const {
  std::vector<std::int64_t> missing;
  std::int64_t candidate = 0;
  const auto take_until = [&](std::int64_t end) {
    for (; candidate < end && missing.size() < most; ++candidate) missing.push_back(candidate);
  };
  for (const Interval& interval : intervals_) {
    take_until(std::min(interval.first, count));
    candidate = std::max(candidate, interval.last + 1);
  }
  take_until(count);
  return missing;
}

std::string Indexes::ToString() const {
  std::string text;
  for (const Interval& interval : intervals_) {
    if (!text.empty()) text += ',';
    text += std::to_string(interval.first);
    if (interval.last == interval.first) continue;
    text += interval.last == interval.first + 1 ? ',' : '-';
    text += std::to_string(interval.last);
  }
  return text;
}

}  // namespace flyball::controllers::job

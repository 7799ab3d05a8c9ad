#include "flyball/controllers/cron_job/time_zone.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

namespace flyball::controllers::cron_job {
namespace {

using std::chrono::local_seconds;
using std::chrono::seconds;
using std::chrono::sys_seconds;

std::unexpected<Error> Malformed() {
  return Fail(ErrorCode::kMalformed, "malformed time zone information");
}

/// Bytes from left to right; nothing where there are not so many.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : rest_(bytes) {}

  std::optional<std::string_view> Take(std::size_t count) {
    if (rest_.size() < count) return std::nullopt;
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

/// A number of as many bytes as there are, the highest first.
template <typename Int>
Int BigEndian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (const char c : bytes) number = number << 8 | static_cast<unsigned char>(c);
  return static_cast<Int>(number);
}

/// How many there are of each thing in a block.
struct Counts {
  std::size_t utc_marks, standard_marks, leap_seconds, changes, kinds, letters;

  std::size_t BlockSize(std::size_t time_size) const {
    return changes * (time_size + 1) + kinds * 6 + letters + leap_seconds * (time_size + 4) +
           standard_marks + utc_marks;
  }
};

std::optional<Counts> ReadCounts(Bytes& bytes) {
  std::array<std::size_t, 6> counts{};
  for (std::size_t& count : counts) {
    const auto raw = bytes.Take(4);
    if (!raw) return std::nullopt;
    count = BigEndian<std::uint32_t>(*raw);
  }
  return Counts{counts[0], counts[1], counts[2], counts[3], counts[4], counts[5]};
}

constexpr std::size_t kMagicAndVersion = 20;

/// What holds in a zone for some time.
struct Kind {
  seconds offset;
  bool summer;
};

/// A block, taken apart.
struct Block {
  std::vector<sys_seconds> times;
  std::vector<std::size_t> kind_at;  ///< of each time, where in `kinds`
  std::vector<Kind> kinds;
};

Result<Block> ReadBlock(Bytes& bytes, const Counts& counts, std::size_t time_size) {
  const auto raw = bytes.Take(counts.BlockSize(time_size));
  if (!raw || counts.kinds == 0) return Malformed();
  Bytes inside(*raw);
  Block block;
  for (std::size_t i = 0; i < counts.changes; ++i) {
    const std::string_view time = *inside.Take(time_size);
    block.times.emplace_back(
        seconds(time_size == 4 ? BigEndian<std::int32_t>(time) : BigEndian<std::int64_t>(time)));
  }
  for (std::size_t i = 0; i < counts.changes; ++i) {
    const auto kind = BigEndian<std::size_t>(*inside.Take(1));
    if (kind >= counts.kinds) return Malformed();
    block.kind_at.push_back(kind);
  }
  for (std::size_t i = 0; i < counts.kinds; ++i) {
    const std::string_view kind = *inside.Take(6);
    if (BigEndian<std::size_t>(kind.substr(5)) >= counts.letters) return Malformed();
    block.kinds.push_back(
        {.offset = seconds(BigEndian<std::int32_t>(kind.substr(0, 4))), .summer = kind[4] != 0});
  }
  return block;
}

/// What holds before the first change, which the file does not say in so many words: a kind that is
/// there for nothing else, or the standard time that went before a summer, or any standard time.
const Kind& First(const Block& block) {
  const auto& [times, kind_at, kinds] = block;
  if (std::ranges::find(kind_at, std::size_t{0}) == kind_at.end()) return kinds[0];
  if (kinds[kind_at[0]].summer) {
    for (std::size_t i = kind_at[0]; i-- > 0;) {
      if (!kinds[i].summer) return kinds[i];
    }
  }
  const auto standard = std::ranges::find(kinds, false, &Kind::summer);
  return standard == kinds.end() ? kinds[0] : *standard;
}

}  // namespace

Result<TimeZone> TimeZone::Parse(std::string_view file) {
  Bytes bytes(file);
  const auto head = bytes.Take(kMagicAndVersion);
  if (!head || !head->starts_with("TZif")) return Malformed();
  const char version = (*head)[4];
  if (version != 0 && version != '2' && version != '3') return Malformed();
  auto counts = ReadCounts(bytes);
  if (!counts) return Malformed();
  std::size_t time_size = 4;
  if (version != 0) {
    // All of it comes twice, the first time with times that end in 2038.
    if (!bytes.Take(counts->BlockSize(time_size) + kMagicAndVersion)) return Malformed();
    counts = ReadCounts(bytes);
    if (!counts) return Malformed();
    time_size = 8;
  }
  FLYBALL_TRY(const Block block, ReadBlock(bytes, *counts, time_size));

  TimeZone zone;
  zone.before_ = First(block).offset;
  for (std::size_t i = 0; i < block.times.size(); ++i) {
    zone.changes_.push_back({block.times[i], block.kinds[block.kind_at[i]].offset});
  }
  const std::string_view rest = bytes.rest();
  if (rest.size() > 2 && rest.front() == '\n' && rest.back() == '\n') {
    zone.rule_ = ZoneRule::Parse(rest.substr(1, rest.size() - 2));
  }
  return zone;
}

seconds TimeZone::OffsetAt(sys_seconds moment) const {
  const auto after = std::ranges::upper_bound(changes_, moment, {}, &Change::when);
  if (after == changes_.end() && rule_) return rule_->OffsetAt(moment);
  return after == changes_.begin() ? before_ : std::prev(after)->offset;
}

local_seconds TimeZone::ToLocal(sys_seconds moment) const {
  return local_seconds(moment.time_since_epoch() + OffsetAt(moment));
}

sys_seconds TimeZone::ToMoment(local_seconds shown) const {
  const sys_seconds as_if_utc(shown.time_since_epoch());
  return as_if_utc - OffsetAt(as_if_utc - OffsetAt(as_if_utc));
}

}  // namespace flyball::controllers::cron_job

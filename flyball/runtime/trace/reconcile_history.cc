#include "flyball/runtime/trace/reconcile_history.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace flyball::runtime {
namespace {

using std::chrono::microseconds;

constexpr std::size_t kLongestText = 240;
constexpr std::size_t kLongestVersion = 32;
constexpr std::size_t kMostTexts = 6;

void Cut(std::string& text, std::size_t most = kLongestText) {
  if (text.size() <= most) return;
  // Not in the midst of a character.
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) --most;
  text.resize(most);
}

/// To what is kept of it, so that it can be compared with what was.
void Cut(ReconcileRecord& record) {
  record.reads.resize(std::min(record.reads.size(), kMostTexts));
  for (std::string& version : record.reads) Cut(version, kLongestVersion);
  record.decided.resize(std::min(record.decided.size(), kMostTexts));
  for (std::string& text : record.decided) Cut(text);
  Cut(record.cause);
  Cut(record.error);
  for (TracedWrite& write : record.writes) Cut(write.error);
}

class Packer {
 public:
  explicit Packer(std::size_t expected = 0) { bytes_.reserve(expected); }

  void Number(std::uint64_t number) {
    while (number >= 0x80) {
      bytes_.push_back(static_cast<char>(number | 0x80));
      number >>= 7;
    }
    bytes_.push_back(static_cast<char>(number));
  }
  void Time(std::chrono::nanoseconds time) {
    const auto micros = std::chrono::duration_cast<microseconds>(time).count();
    Number(static_cast<std::uint64_t>(std::max(micros, decltype(micros){0})));
  }
  void Text(std::string_view text) {
    Number(text.size());
    bytes_.append(text);
  }
  void Texts(const std::vector<std::string>& texts) {
    Number(texts.size());
    for (const std::string& text : texts) Text(text);
  }
  void Write(const TracedWrite& write) {
    Number(static_cast<std::uint64_t>(write.verb));
    Text(write.resource);
    Text(write.subresource);
    Text(write.name);
    Number(write.times);
    Number(write.refused ? 1 + static_cast<std::uint64_t>(*write.refused) : 0);
    if (write.refused) Text(write.error);
  }
  std::string Take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Reads what a Packer has written, and nothing else.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : bytes_(bytes) {}

  bool AtEnd() const { return bytes_.empty(); }
  std::uint64_t Number() {
    std::uint64_t number = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_.front());
      bytes_.remove_prefix(1);
      number |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return number;
    }
  }
  std::uint32_t Count() { return static_cast<std::uint32_t>(Number()); }
  std::chrono::nanoseconds Time() { return microseconds(Number()); }
  std::string_view Bytes() {
    const std::size_t size = Number();
    const std::string_view bytes = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return bytes;
  }
  std::string Text() { return std::string(Bytes()); }
  std::vector<std::string> Texts() {
    std::vector<std::string> texts(Number());
    for (std::string& text : texts) text = Text();
    return texts;
  }
  TracedWrite Write() {
    TracedWrite write{.verb = static_cast<TracedWrite::Verb>(Number()),
                      .resource = Text(),
                      .subresource = Text(),
                      .name = Text(),
                      .times = Count()};
    if (const std::uint64_t code = Number(); code > 0) {
      write.refused = static_cast<ErrorCode>(code - 1);
      write.error = Text();
    }
    return write;
  }

 private:
  std::string_view bytes_;
};

std::string Pack(const ReconcileRecord& record) {
  constexpr std::size_t kUsual = 256;
  Packer packer(kUsual);
  packer.Time(record.time.time_since_epoch());
  packer.Time(record.took);
  packer.Number(record.times);
  packer.Time(record.since.time_since_epoch());
  packer.Text(record.cause);
  packer.Number(record.causes);
  packer.Texts(record.reads);
  packer.Texts(record.decided);
  packer.Number(record.writes.size());
  for (const TracedWrite& write : record.writes) packer.Write(write);
  packer.Number(record.writes_left_out);
  packer.Number(static_cast<std::uint64_t>(record.end));
  packer.Time(record.requeue_after);
  packer.Text(record.error);
  return packer.Take();
}

ReconcileRecord Unpack(std::string_view bytes) {
  Unpacker packed(bytes);
  ReconcileRecord record{.time = WallTime(packed.Time()),
                         .took = packed.Time(),
                         .times = packed.Count(),
                         .since = WallTime(packed.Time()),
                         .cause = packed.Text(),
                         .causes = packed.Count(),
                         .reads = packed.Texts(),
                         .decided = packed.Texts()};
  for (std::uint64_t left = packed.Number(); left > 0; --left) {
    record.writes.push_back(packed.Write());
  }
  record.writes_left_out = packed.Count();
  record.end = static_cast<ReconcileRecord::End>(packed.Number());
  record.requeue_after = packed.Time();
  record.error = packed.Text();
  return record;
}

/// Leaves out writes until all has room, those that were refused last: they tell most. What was
/// decided goes only if that is not enough; the rest always has room.
std::string PackToFit(ReconcileRecord record, std::size_t room) {
  std::string packed = Pack(record);
  while (packed.size() > room && !record.writes.empty()) {
    const auto stored =
        std::ranges::find_if(record.writes.rbegin(), record.writes.rend(),
                             [](const TracedWrite& write) { return !write.refused; });
    const auto last = stored != record.writes.rend() ? stored : record.writes.rbegin();
    record.writes_left_out += last->times;
    record.writes.erase(std::next(last).base());
    packed = Pack(record);
  }
  while (packed.size() > room && !record.decided.empty()) {
    record.decided.pop_back();
    packed = Pack(record);
  }
  return packed;
}

bool Wrote(const ReconcileRecord& record) {
  return std::ranges::any_of(record.writes, [](const auto& write) { return !write.refused; });
}

/// How often, and since when, the same has been told.
struct Same {
  std::uint32_t times = 0;
  WallTime since = {};
};

/// Whether texts are these. Reads on behind them only if they are.
bool AreNext(Unpacker& packed, const std::vector<std::string>& texts) {
  return packed.Number() == texts.size() &&
         std::ranges::all_of(texts, [&](const auto& text) { return packed.Bytes() == text; });
}

/// Whether a write is refused as this one was, whatever the names.
bool IsNext(Unpacker& packed, const TracedWrite& write) {
  const bool same =
      packed.Number() == static_cast<std::uint64_t>(write.verb) && packed.Bytes() == write.resource;
  if (!same) return false;
  packed.Bytes();
  packed.Bytes();
  packed.Number();
  return write.refused && packed.Number() == 1 + static_cast<std::uint64_t>(*write.refused) &&
         packed.Bytes() == write.error;
}

/// The last record, if this one says nothing more. Most records of most keys are such, so nothing
/// is allocated to find out.
std::optional<Same> SameAs(std::string_view last, const ReconcileRecord& record) {
  Unpacker packed(last);
  packed.Time();
  packed.Time();
  const Same same{.times = packed.Count(), .since = WallTime(packed.Time())};
  packed.Bytes();
  packed.Number();
  for (std::uint64_t left = packed.Number(); left > 0; --left) packed.Bytes();
  const bool wrote_alike =
      AreNext(packed, record.decided) && packed.Number() == record.writes.size() &&
      std::ranges::all_of(record.writes, [&](const auto& write) { return IsNext(packed, write); });
  if (!wrote_alike || packed.Number() != record.writes_left_out) return std::nullopt;
  if (packed.Number() != static_cast<std::uint64_t>(record.end)) return std::nullopt;
  packed.Time();
  if (packed.Bytes() != record.error) return std::nullopt;
  return same;
}

}  // namespace

void ReconcileHistory::Add(ReconcileRecord record) {
  record.since = record.time;
  Cut(record);
  if (!packed_.empty() && !Wrote(record)) {
    const std::string_view last = Unpacker(std::string_view(packed_).substr(last_)).Bytes();
    if (const auto same = SameAs(last, record)) {
      record.times += same->times;
      record.since = same->since;
      packed_.resize(last_);
    }
  }
  const std::string added = PackToFit(std::move(record), kMostBytes - 2);
  Packer framed;
  framed.Number(added.size());
  const std::string size = framed.Take();

  std::string_view kept = packed_;
  while (kept.size() + size.size() + added.size() > kMostBytes && !kept.empty()) {
    Unpacker oldest(kept);
    const std::string_view first = oldest.Bytes();
    kept.remove_prefix(static_cast<std::size_t>(first.end() - kept.begin()));
  }
  std::string packed;  // of just the size that it needs
  packed.reserve(kept.size() + size.size() + added.size());
  packed.append(kept).append(size).append(added);
  last_ = kept.size();
  packed_ = std::move(packed);
}

std::vector<ReconcileRecord> ReconcileHistory::Records() const {
  std::vector<ReconcileRecord> records;
  for (Unpacker packed(packed_); !packed.AtEnd();) records.push_back(Unpack(packed.Bytes()));
  return records;
}

}  // namespace flyball::runtime

#include "flyball/runtime/trace/turn_ring.h"

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
void Cut(Turn& turn) {
  turn.reads.resize(std::min(turn.reads.size(), kMostTexts));
  for (std::string& version : turn.reads) Cut(version, kLongestVersion);
  turn.decided.resize(std::min(turn.decided.size(), kMostTexts));
  for (std::string& text : turn.decided) Cut(text);
  Cut(turn.cause);
  Cut(turn.error);
  for (TracedWrite& write : turn.writes) Cut(write.error);
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

std::string Pack(const Turn& turn) {
  constexpr std::size_t kUsual = 256;
  Packer packer(kUsual);
  packer.Time(turn.time.time_since_epoch());
  packer.Time(turn.took);
  packer.Number(turn.times);
  packer.Time(turn.since.time_since_epoch());
  packer.Text(turn.cause);
  packer.Number(turn.causes);
  packer.Texts(turn.reads);
  packer.Texts(turn.decided);
  packer.Number(turn.writes.size());
  for (const TracedWrite& write : turn.writes) packer.Write(write);
  packer.Number(turn.writes_left_out);
  packer.Number(static_cast<std::uint64_t>(turn.end));
  packer.Time(turn.again_in);
  packer.Text(turn.error);
  return packer.Take();
}

Turn Unpack(std::string_view bytes) {
  Unpacker packed(bytes);
  Turn turn{.time = WallTime(packed.Time()),
            .took = packed.Time(),
            .times = packed.Count(),
            .since = WallTime(packed.Time()),
            .cause = packed.Text(),
            .causes = packed.Count(),
            .reads = packed.Texts(),
            .decided = packed.Texts()};
  for (std::uint64_t left = packed.Number(); left > 0; --left) {
    turn.writes.push_back(packed.Write());
  }
  turn.writes_left_out = packed.Count();
  turn.end = static_cast<Turn::End>(packed.Number());
  turn.again_in = packed.Time();
  turn.error = packed.Text();
  return turn;
}

/// Leaves out writes until all has room, those that were refused last: they tell most. What was
/// decided goes only if that is not enough; the rest always has room.
std::string PackToFit(Turn turn, std::size_t room) {
  std::string packed = Pack(turn);
  while (packed.size() > room && !turn.writes.empty()) {
    const auto stored =
        std::ranges::find_if(turn.writes.rbegin(), turn.writes.rend(),
                             [](const TracedWrite& write) { return !write.refused; });
    const auto last = stored != turn.writes.rend() ? stored : turn.writes.rbegin();
    turn.writes_left_out += last->times;
    turn.writes.erase(std::next(last).base());
    packed = Pack(turn);
  }
  while (packed.size() > room && !turn.decided.empty()) {
    turn.decided.pop_back();
    packed = Pack(turn);
  }
  return packed;
}

bool Wrote(const Turn& turn) {
  return std::ranges::any_of(turn.writes, [](const auto& write) { return !write.refused; });
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

/// What was told last, if there is nothing more to be told of this turn. Most turns of most keys
/// are such, so nothing is allocated to find out.
std::optional<Same> SameAs(std::string_view last, const Turn& turn) {
  Unpacker packed(last);
  packed.Time();
  packed.Time();
  const Same same{.times = packed.Count(), .since = WallTime(packed.Time())};
  packed.Bytes();
  packed.Number();
  for (std::uint64_t left = packed.Number(); left > 0; --left) packed.Bytes();
  const bool wrote_alike =
      AreNext(packed, turn.decided) && packed.Number() == turn.writes.size() &&
      std::ranges::all_of(turn.writes, [&](const auto& write) { return IsNext(packed, write); });
  if (!wrote_alike || packed.Number() != turn.writes_left_out) return std::nullopt;
  if (packed.Number() != static_cast<std::uint64_t>(turn.end)) return std::nullopt;
  packed.Time();
  if (packed.Bytes() != turn.error) return std::nullopt;
  return same;
}

}  // namespace

void TurnRing::Add(Turn turn) {
  turn.since = turn.time;
  Cut(turn);
  if (!packed_.empty() && !Wrote(turn)) {
    const std::string_view last = Unpacker(std::string_view(packed_).substr(last_)).Bytes();
    if (const auto same = SameAs(last, turn)) {
      turn.times += same->times;
      turn.since = same->since;
      packed_.resize(last_);
    }
  }
  const std::string added = PackToFit(std::move(turn), kMostBytes - 2);
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

std::vector<Turn> TurnRing::Turns() const {
  std::vector<Turn> turns;
  for (Unpacker packed(packed_); !packed.AtEnd();) turns.push_back(Unpack(packed.Bytes()));
  return turns;
}

}  // namespace flyball::runtime

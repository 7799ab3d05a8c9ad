#include "flyball/runtime/trace/turn_ring.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

namespace flyball::runtime {
namespace {

using std::chrono::microseconds;

constexpr std::size_t kLongestText = 240;
constexpr std::size_t kMostTexts = 6;

std::string_view Short(std::string_view text) {
  if (text.size() <= kLongestText) return text;
  // Not in the midst of a character.
  std::size_t end = kLongestText;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

class Packer {
 public:
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
    text = Short(text);
    Number(text.size());
    bytes_.append(text);
  }
  void Texts(const std::vector<std::string>& texts) {
    const std::size_t most = std::min(texts.size(), kMostTexts);
    Number(most);
    for (std::size_t i = 0; i < most; ++i) Text(texts[i]);
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
  Packer packer;
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

/// Leaves out writes until all has room; those that were refused tell most.
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
  return packed;
}

bool Wrote(const Turn& turn) {
  return std::ranges::any_of(turn.writes, [](const auto& write) { return !write.refused; });
}

bool RefusedAlike(const TracedWrite& a, const TracedWrite& b) {
  return a.verb == b.verb && a.resource == b.resource && a.refused == b.refused &&
         Short(a.error) == Short(b.error);
}

/// Whether there is nothing to be told of the second that was not told of the first.
bool CameToTheSame(const Turn& first, const Turn& second) {
  return !Wrote(first) && !Wrote(second) && first.end == second.end &&
         first.decided == second.decided && first.error == Short(second.error) &&
         std::ranges::equal(first.writes, second.writes, RefusedAlike);
}

}  // namespace

void TurnRing::Add(Turn turn) {
  turn.since = turn.time;
  if (!packed_.empty() && !Wrote(turn)) {
    const Turn last = Unpack(Unpacker(std::string_view(packed_).substr(last_)).Bytes());
    if (CameToTheSame(last, turn)) {
      turn.times += last.times;
      turn.since = last.since;
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

#include "flyball/api/view_decode.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>
#include <protozero/exception.hpp>
#include <protozero/varint.hpp>
#include <span>
#include <vector>

#include "flyball/api/internal/protobuf_leaf.h"
#include "flyball/api/internal/scratch_arena.h"
#include "flyball/api/view.h"
#include "flyball/base/stable_sort.h"

namespace flyball::api {
namespace {

using protozero::pbf_reader;

/// In front of a list's elements while it is being read; a plain count once it is settled.
struct ListHeader {
  std::uint32_t size;
  std::uint32_t capacity;
};
static_assert(sizeof(ListHeader) == ViewList<char>::kHeader);

template <typename T>
T& At(void* object, std::size_t offset) {
  return *reinterpret_cast<T*>(static_cast<char*>(object) + offset);
}

std::size_t RoundUp(std::size_t size) { return (size + 7) / 8 * 8; }

std::size_t EncodedSize(ViewString text) {
  const std::string_view view = text.view();
  return static_cast<std::size_t>(view.data() + view.size() - text.encoded());
}

std::size_t ElementSize(const ViewField& field) {
  if (field.shape == Shape::kMap) return sizeof(ViewEntry);
  return field.kind == Kind::kMessage ? field.message->size : sizeof(ViewString);
}

}  // namespace

/// Reading builds the view in scratch memory, with texts still on the wire (protobuf's own form of
/// a text is a view's) or in the pool; rare fields are put together from many places of the wire,
/// once at the end of their message, and wait in scratch memory. Settling copies it into the block
/// that it keeps: structs and lists first, texts behind them.
class ViewDecoder::Builder {
 public:
  void Read(std::string_view bytes, const ViewInfo& view, StringPool& pool) {
    path_.Reset();
    pool_ = &pool;
    wire_ = bytes;
    struct_bytes_ = 0;
    text_bytes_ = 0;
    spare_ = nullptr;
    spare_member_ = nullptr;
    root_ = Fresh(arena_.Allocate(view.size), view);
    Message(pbf_reader(bytes.data(), bytes.size()), view, root_);
  }

  void Settle(void* object, const ViewInfo& view, char* extra) {
    structs_at_ = extra;
    texts_at_ = extra + struct_bytes_;
    std::memcpy(object, root_, view.size);
    SettleFields(object, view);
    Clear();
  }

  /// Forgets what was read.
  void Clear() {
    arena_.Reset();
    pieces_.clear();
    if (pieces_.capacity() > kPiecesKept) pieces_.shrink_to_fit();
    out_of_order_.clear();
  }

  std::size_t extra_size() const { return struct_bytes_ + text_bytes_; }
  const DecodePath& path() const { return path_; }

 private:
  // Reading.

  static constexpr std::size_t kFewElements = 4;
  static constexpr std::size_t kPiecesKept = 1024;

  /// True if anything in the message is kept.
  bool Message(pbf_reader reader, const ViewInfo& view, void* object) {
    bool kept = false;
    const std::size_t first_piece = pieces_.size();
    const std::size_t first_out_of_order = out_of_order_.size();
    std::size_t next = 0;
    const char* begin = reader.data().data();
    while (reader.next()) {
      const std::uint32_t number = reader.tag();
      // Fields come in ascending order from every known writer.
      if (next == view.fields.size() || view.fields[next].number > number) next = 0;
      while (next < view.fields.size() && view.fields[next].number < number) ++next;
      if (next < view.fields.size() && view.fields[next].number == number) {
        const ViewField& field = view.fields[next];
        path_.Push(field.name);
        const bool read = ReadField(reader, field, static_cast<char*>(object) + field.offset);
        kept |= read && !field.incidental;
        path_.Pop();
      } else {
        reader.skip();
        kept |= KeepIfRare(view, number, {begin, reader.data().data()}, first_piece);
      }
      begin = reader.data().data();
    }
    if (pieces_.size() > first_piece) JoinRare(view, object, first_piece);
    SortMaps(first_out_of_order);
    if (kept) Share(view, object);
    return kept;
  }

  bool ReadField(pbf_reader& reader, const ViewField& field, void* member) {
    switch (field.shape) {
      case Shape::kValue:
      case Shape::kInlined:
        return ReadValue(reader, field, member);
      case Shape::kOptional:
        return field.kind == Kind::kMessage ? ReadPart(reader, field, member)
                                            : ReadOptional(reader, field, member);
      case Shape::kList:
        return ReadElement(reader, field, member);
      case Shape::kMap:
        return ReadEntry(ReadMessage(reader), field, member);
    }
    return false;
  }

  /// An optional message: a pointer, null where there is none.
  bool ReadPart(pbf_reader& reader, const ViewField& field, void* member) {
    auto& part = At<const void*>(member, 0);
    const Mark mark = Remember();
    void* const object = part ? const_cast<void*>(part) : NewStruct(*field.message);
    const bool kept = Message(ReadMessage(reader), *field.message, object);
    if (field.sparse && !kept && !part) {
      Forget(mark);
      return false;
    }
    part = object;
    return true;
  }

  bool ReadOptional(pbf_reader& reader, const ViewField& field, void* member) {
    switch (field.kind) {
      case Kind::kBool:
        At<std::optional<bool>>(member, 0) = ReadInt64(reader) != 0;
        return true;
      case Kind::kInt32:
        At<std::optional<std::int32_t>>(member, 0) = NarrowInt32(ReadInt64(reader));
        return true;
      case Kind::kInt64:
        At<std::optional<std::int64_t>>(member, 0) = ReadInt64(reader);
        return true;
      case Kind::kTime:
        At<std::optional<ViewTime>>(member, 0) = ReadTime(reader);
        return true;
      default:  // a text that is there but empty reads as one that is not
        return ReadValue(reader, field, member);
    }
  }

  bool ReadElement(pbf_reader& reader, const ViewField& field, void* member) {
    const Mark mark = Remember();
    ListHeader& header =
        Grow(field, member, [&] { return field.sparse ? kFewElements : CountRun(reader); });
    path_.SetIndex(header.size);
    const std::size_t size = ElementSize(field);
    char* const element = reinterpret_cast<char*>(&header + 1) + header.size * size;
    bool kept = true;
    if (field.kind == Kind::kMessage) {
      Fresh(element, *field.message);
      kept = Message(ReadMessage(reader), *field.message, element);
    } else {
      At<ViewString>(element, 0) = Text(reader, field.pooled);
    }
    if (field.sparse && !kept) {
      Forget(mark);
      return false;
    }
    AddElement(header, size, member);
    return true;
  }

  bool ReadEntry(pbf_reader entry, const ViewField& field, void* member) {
    std::string_view key;
    const char* key_at = nullptr;
    std::optional<pbf_reader> value;
    while (entry.next()) {
      if (entry.tag() == 1) {
        key_at = entry.data().data();
        key = ReadString(entry);
        path_.SetKey(key);
      } else {
        // Looked at once it is known that the key is one to keep.
        if (entry.tag() == 2) value = entry;
        entry.skip();
      }
    }
    if (!field.keys.empty() && std::ranges::find(field.keys, key) == field.keys.end()) return false;
    ViewEntry read;
    read.key = Shared(key, key_at, /*pooled=*/true);
    if (value) {
      read.value = field.kind == Kind::kQuantity ? QuantityText(ReadMessage(*value), field.pooled)
                                                 : Text(*value, field.pooled);
    }
    ListHeader& header = Grow(field, member, [] { return kFewElements; });
    auto* const entries = reinterpret_cast<ViewEntry*>(&header + 1);
    // Entries come by ascending keys from every known writer.
    if (header.size > 0 && entries[header.size - 1].key >= read.key &&
        (out_of_order_.empty() || out_of_order_.back() != member)) {
      out_of_order_.push_back(member);
    }
    entries[header.size] = read;
    AddElement(header, sizeof(ViewEntry), member);
    return true;
  }

  /// A message is complete: puts those of its maps in order that did not come so. Of a key that
  /// came twice the last one counts, as in Go.
  void SortMaps(std::size_t first) {
    const auto begin = out_of_order_.begin() + static_cast<std::ptrdiff_t>(first);
    // A map may have been noticed more than once.
    std::sort(begin, out_of_order_.end());
    std::for_each(begin, std::unique(begin, out_of_order_.end()),
                  [this](void* member) { SortMap(member); });
    out_of_order_.resize(first);
  }

  void SortMap(void* member) {
    const void* const elements = At<const void*>(member, 0);
    ListHeader& header = *HeaderOf(elements);
    auto* const begin = static_cast<ViewEntry*>(const_cast<void*>(elements));
    ViewEntry* const end = begin + header.size;
    std::vector<ViewEntry> entries(begin, end);
    StableSort(entries, {}, &ViewEntry::key);
    std::ranges::copy(entries, begin);
    ViewEntry* last = begin;
    for (ViewEntry* at = begin + 1; at < end; ++at) {
      if (at->key == last->key) {
        Drop(last->key);
        Drop(last->value);
      } else {
        ++last;
      }
      *last = *at;
    }
    const auto size = static_cast<std::uint32_t>(last + 1 - begin);
    struct_bytes_ -= (header.size - size) * sizeof(ViewEntry);
    header.size = size;
  }

  void Drop(ViewString text) {
    if (!IsPooled(text)) text_bytes_ -= EncodedSize(text);
  }

  bool ReadValue(pbf_reader& reader, const ViewField& field, void* slot) {
    switch (field.kind) {
      case Kind::kBool:
        return At<bool>(slot, 0) = ReadInt64(reader) != 0;
      case Kind::kInt32:
        return (At<std::int32_t>(slot, 0) = NarrowInt32(ReadInt64(reader))) != 0;
      case Kind::kInt64:
        return (At<std::int64_t>(slot, 0) = ReadInt64(reader)) != 0;
      case Kind::kTime:
        return !(At<ViewTime>(slot, 0) = ReadTime(reader)).IsZero();
      case Kind::kMessage:
        return Message(ReadMessage(reader), *field.message, slot);
      case Kind::kQuantity:
        return !(At<ViewString>(slot, 0) = QuantityText(ReadMessage(reader), field.pooled)).empty();
      default:
        return !(At<ViewString>(slot, 0) = Text(reader, field.pooled)).empty();
    }
  }

  static ViewTime ReadTime(pbf_reader& reader) {
    const WireTimestamp time = ReadTimestamp(ReadMessage(reader));
    return time.present ? ViewTime::FromUnix(time.seconds) : ViewTime();
  }

  ViewString Text(pbf_reader& reader, bool pooled) {
    const char* const encoded = reader.data().data();
    return Shared(ReadString(reader), encoded, pooled);
  }

  /// The pool's copy of a text, or the text where it stands on the wire.
  ViewString Shared(std::string_view text, const char* encoded, bool pooled) {
    if (text.empty()) return {};
    if (pooled) {
      if (const ViewString shared = pool_->FindText(text); !shared.empty()) return shared;
    }
    const ViewString own = ViewString::FromEncoded(encoded);
    text_bytes_ += EncodedSize(own);
    return own;
  }

  ViewString QuantityText(pbf_reader message, bool pooled) {
    ViewString text;
    while (message.next()) {
      if (message.tag() == 1) {
        text = Text(message, pooled);
      } else {
        message.skip();
      }
    }
    return text;
  }

  bool KeepIfRare(const ViewInfo& view, std::uint32_t number,
                  std::pair<const char*, const char*> at, std::size_t first_piece) {
    const auto rare = std::ranges::find(view.rare, number, &RareField::number);
    if (rare == view.rare.end()) return false;
    const std::string_view bytes(at.first, static_cast<std::size_t>(at.second - at.first));
    // A plain field that is zero or empty is its tag and a zero byte.
    const auto tag_size = static_cast<std::size_t>(protozero::length_of_varint(number << 3));
    const bool zero = bytes.size() == tag_size + 1 && bytes.back() == '\0';
    if (zero && !rare->optional) return false;
    if (pieces_.size() > first_piece && pieces_.back().end() == bytes.begin()) {
      pieces_.back() = {pieces_.back().data(), pieces_.back().size() + bytes.size()};
    } else {
      pieces_.push_back(bytes);
    }
    return true;
  }

  /// A message is complete: puts its rare fields together, once, behind those of an earlier part of
  /// it. What is short enough for the pool is there from then on, and nothing else is.
  void JoinRare(const ViewInfo& view, void* object, std::size_t first_piece) {
    auto& rare = At<ViewString>(object, view.rare_offset);
    const std::string_view before = rare.view();
    const std::span<const std::string_view> pieces = std::span(pieces_).subspan(first_piece);
    std::size_t size = before.size();
    for (const std::string_view piece : pieces) size += piece.size();
    if (!IsPooledRare(rare)) text_bytes_ -= EncodedSize(rare);
    char* const encoded = static_cast<char*>(arena_.Allocate(protozero::max_varint_length + size));
    char* const text = encoded + protozero::add_varint_to_buffer(encoded, size);
    char* at = std::ranges::copy(before, text).out;
    for (const std::string_view piece : pieces) at = std::ranges::copy(piece, at).out;
    pieces_.resize(first_piece);
    rare = pool_->FindText({text, size});
    if (!rare.empty()) return;
    rare = ViewString::FromEncoded(encoded);
    text_bytes_ += EncodedSize(rare);
  }

  /// The header of a list with room for one more element.
  template <typename Guess>
  ListHeader& Grow(const ViewField& field, void* member, Guess guess) {
    const void* elements = At<const void*>(member, 0);
    ListHeader* header = elements ? HeaderOf(elements) : nullptr;
    if (!header && spare_member_ == member) header = spare_;
    if (header && header->size < header->capacity) return *header;
    const std::uint32_t size = header ? header->size : 0;
    // A list that was shared already (its message came in two parts) takes a place of its own
    // again.
    if (elements && IsShared(elements)) {
      struct_bytes_ += sizeof(ListHeader) + RoundUp(size * ElementSize(field));
    }
    const auto capacity =
        static_cast<std::uint32_t>(header ? 2 * (std::size_t{size} + 1) : guess());
    auto* const grown = static_cast<ListHeader*>(
        arena_.Allocate(sizeof(ListHeader) + capacity * ElementSize(field)));
    *grown = {size, capacity};
    if (header) std::memcpy(grown + 1, header + 1, size * ElementSize(field));
    if (elements) At<const void*>(member, 0) = grown + 1;
    // A sparse list stays null until an element is kept; its room is remembered meanwhile.
    spare_ = grown;
    spare_member_ = member;
    return *grown;
  }

  void AddElement(ListHeader& header, std::size_t element_size, void* member) {
    if (header.size == 0) struct_bytes_ += sizeof(ListHeader);
    struct_bytes_ -= RoundUp(header.size * element_size);
    ++header.size;
    struct_bytes_ += RoundUp(header.size * element_size);
    At<const void*>(member, 0) = &header + 1;
  }

  static ListHeader* HeaderOf(const void* elements) {
    return static_cast<ListHeader*>(const_cast<void*>(elements)) - 1;
  }

  /// A default struct with zeros in the gaps, so that equal ones are equal byte for byte.
  static void* Fresh(void* memory, const ViewInfo& view) {
    std::memset(memory, 0, view.size);
    view.construct(memory);
    return memory;
  }

  void* NewStruct(const ViewInfo& view) {
    void* const object = Fresh(arena_.Allocate(view.size), view);
    struct_bytes_ += RoundUp(view.size);
    return object;
  }

  // Sharing.

  /// A message is complete: puts what many objects have in common into the pool.
  void Share(const ViewInfo& view, void* object) {
    for (const ViewField& field : view.fields) {
      const bool many = field.shape == Shape::kList || field.shape == Shape::kMap;
      if (field.pooled && many) ShareList(field, static_cast<char*>(object) + field.offset);
    }
  }

  void ShareList(const ViewField& field, void* member) {
    auto& elements = At<const void*>(member, 0);
    if (!elements || IsShared(elements)) return;
    const std::size_t element_size = ElementSize(field);
    ListHeader& header = *HeaderOf(elements);
    for (std::size_t i = 0; i < header.size; ++i) {
      if (!CanShare(field, static_cast<const char*>(elements) + i * element_size)) return;
    }
    const std::size_t size = sizeof(ListHeader) + header.size * element_size;
    const std::uint32_t capacity = std::exchange(header.capacity, 0);
    const void* const shared = pool_->FindBlock({reinterpret_cast<const char*>(&header), size});
    if (!shared) {
      header.capacity = capacity;
      return;
    }
    elements = static_cast<const char*>(shared) + sizeof(ListHeader);
    struct_bytes_ -= sizeof(ListHeader) + RoundUp(header.size * element_size);
  }

  /// Whether all that an element points at is in the pool.
  bool CanShare(const ViewField& field, const char* element) {
    const auto text_at = [&](std::size_t offset) {
      return IsPooled(*reinterpret_cast<const ViewString*>(element + offset));
    };
    if (field.shape == Shape::kMap) {
      return text_at(offsetof(ViewEntry, key)) && text_at(offsetof(ViewEntry, value));
    }
    if (field.kind != Kind::kMessage) return text_at(0);
    return CanShare(*field.message, element);
  }

  bool CanShare(const ViewInfo& view, const char* object) {
    for (const ViewField& field : view.fields) {
      const char* const member = object + field.offset;
      const auto pointer = [member] { return *reinterpret_cast<void* const*>(member); };
      switch (field.shape) {
        case Shape::kList:
        case Shape::kMap:
          if (pointer() && !IsShared(pointer())) return false;
          break;
        case Shape::kOptional:
          if (field.kind == Kind::kMessage && pointer()) return false;
          if (IsText(field.kind) && !IsPooled(*reinterpret_cast<const ViewString*>(member))) {
            return false;
          }
          break;
        case Shape::kValue:
        case Shape::kInlined:
          if (field.kind == Kind::kMessage && !CanShare(*field.message, member)) return false;
          if (IsText(field.kind) && !IsPooled(*reinterpret_cast<const ViewString*>(member))) {
            return false;
          }
          break;
      }
    }
    return view.rare.empty() ||
           reinterpret_cast<const ViewString*>(object + view.rare_offset)->empty();
  }

  /// Nothing, or a text that is not on the wire. Not for rare fields, which are in scratch memory.
  bool IsPooled(ViewString text) const {
    const char* const at = text.encoded();
    return std::less<>()(at, wire_.data()) ||
           std::greater_equal<>()(at, wire_.data() + wire_.size());
  }
  static bool IsPooledRare(ViewString rare) {
    return rare.view().size() <= StringPool::kMaxTextSize;
  }
  /// A list in the pool has a plain count before its elements, one being read has a capacity too.
  static bool IsShared(const void* elements) { return HeaderOf(elements)->capacity == 0; }

  struct Mark {
    std::size_t struct_bytes;
    std::size_t text_bytes;
  };
  Mark Remember() const { return {struct_bytes_, text_bytes_}; }
  void Forget(const Mark& mark) {
    struct_bytes_ = mark.struct_bytes;
    text_bytes_ = mark.text_bytes;
  }

  // Settling.

  void SettleFields(void* object, const ViewInfo& view) {
    for (const ViewField& field : view.fields) {
      char* const member = static_cast<char*>(object) + field.offset;
      switch (field.shape) {
        case Shape::kList:
        case Shape::kMap:
          SettleList(field, member);
          break;
        case Shape::kOptional:
          if (field.kind == Kind::kMessage) {
            SettlePart(field, member);
          } else if (IsText(field.kind)) {
            SettleText(At<ViewString>(member, 0));
          }
          break;
        case Shape::kValue:
        case Shape::kInlined:
          if (field.kind == Kind::kMessage) {
            SettleFields(member, *field.message);
          } else if (IsText(field.kind)) {
            SettleText(At<ViewString>(member, 0));
          }
          break;
      }
    }
    if (view.rare.empty()) return;
    auto& rare = At<ViewString>(object, view.rare_offset);
    if (!IsPooledRare(rare)) MoveText(rare);
  }

  static bool IsText(Kind kind) {
    return kind == Kind::kString || kind == Kind::kBytes || kind == Kind::kQuantity;
  }

  void SettlePart(const ViewField& field, void* member) {
    auto& part = At<const void*>(member, 0);
    if (!part) return;
    void* const settled = Place(field.message->size);
    std::memcpy(settled, part, field.message->size);
    part = settled;
    SettleFields(settled, *field.message);
  }

  void SettleList(const ViewField& field, void* member) {
    auto& elements = At<const void*>(member, 0);
    if (!elements || IsShared(elements)) return;
    const std::size_t size = ElementSize(field);
    const std::uint64_t count = HeaderOf(elements)->size;
    char* const settled = static_cast<char*>(Place(sizeof(ListHeader) + count * size));
    std::memcpy(settled, &count, sizeof(count));
    char* const first = settled + sizeof(ListHeader);
    std::memcpy(first, elements, count * size);
    elements = first;
    for (std::size_t i = 0; i < count; ++i) {
      char* const element = first + i * size;
      if (field.shape == Shape::kMap) {
        SettleText(At<ViewString>(element, offsetof(ViewEntry, key)));
        SettleText(At<ViewString>(element, offsetof(ViewEntry, value)));
      } else if (field.kind == Kind::kMessage) {
        SettleFields(element, *field.message);
      } else {
        SettleText(At<ViewString>(element, 0));
      }
    }
  }

  /// Copies a text that is still on the wire; one in the pool stays there.
  void SettleText(ViewString& text) {
    if (!IsPooled(text)) MoveText(text);
  }

  void MoveText(ViewString& text) {
    const std::size_t size = EncodedSize(text);
    std::memcpy(texts_at_, text.encoded(), size);
    text = ViewString::FromEncoded(texts_at_);
    texts_at_ += size;
  }

  void* Place(std::size_t size) {
    void* const at = structs_at_;
    structs_at_ += RoundUp(size);
    return at;
  }

  ScratchArena arena_;
  DecodePath path_;
  StringPool* pool_ = nullptr;
  std::string_view wire_;
  void* root_ = nullptr;
  std::size_t struct_bytes_ = 0;
  std::size_t text_bytes_ = 0;
  ListHeader* spare_ = nullptr;
  void* spare_member_ = nullptr;
  /// Of the messages being read, the innermost last: where their rare fields are on the wire, and
  /// maps whose keys did not come in order.
  std::vector<std::string_view> pieces_;
  std::vector<void*> out_of_order_;
  char* structs_at_ = nullptr;
  char* texts_at_ = nullptr;
};

ViewDecoder::ViewDecoder()
    : shared_(std::make_shared<Shared>()), builder_(std::make_unique<Builder>()) {}
ViewDecoder::~ViewDecoder() = default;
ViewDecoder::ViewDecoder(ViewDecoder&&) noexcept = default;
ViewDecoder& ViewDecoder::operator=(ViewDecoder&&) noexcept = default;

Result<> ViewDecoder::Read(std::string_view bytes, const ViewInfo& view) {
  if (shared_->pool.full()) shared_ = std::make_shared<Shared>();
  // A throw of any other kind leaves the scratch memory as it is.
  builder_->Clear();
  try {
    builder_->Read(bytes, view, shared_->pool);
  } catch (const DecodeFailure& failure) {
    builder_->Clear();
    return Fail(ErrorCode::kMalformed, builder_->path().ToString(), failure.message);
  } catch (const protozero::exception& error) {
    builder_->Clear();
    return Fail(ErrorCode::kMalformed, builder_->path().ToString(),
                std::string("protobuf: ") + error.what());
  }
  shared_->extra_size = builder_->extra_size();
  return {};
}

ViewInfo ViewDecoder::MetadataOf(const ViewInfo& view) {
  ViewInfo metadata = view;
  const auto others = std::ranges::upper_bound(view.fields, 1, {}, &ViewField::number);
  metadata.fields = {view.fields.begin(), others};
  metadata.rare = {};
  return metadata;
}

void ViewDecoder::Settle(void* object, const ViewInfo& view) {
  builder_->Settle(object, view, shared_->extra);
}

}  // namespace flyball::api

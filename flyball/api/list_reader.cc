#include "flyball/api/list_reader.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "flyball/api/envelope.h"
#include "flyball/api/json_decode.h"
#include "flyball/api/protobuf_decode.h"

namespace flyball::api {

/// One encoding's way through a list. `left` is what has come and not been read; what is read is
/// cut off its front.
class ListReader::Format {
 public:
  virtual ~Format() = default;
  /// The next object's bytes; nothing if it is not there yet or there is none.
  virtual Result<std::optional<std::string_view>> Next(std::string_view& left) = 0;
  virtual bool AtEnd() const = 0;
  virtual bool json() const = 0;

  meta::v1::ListMeta metadata;

 protected:
  static std::unexpected<Error> Malformed(std::string what) {
    return Fail(ErrorCode::kMalformed, "list: " + std::move(what));
  }
  static Result<> CheckKind(std::string_view kind) {
    if (kind.ends_with("List")) return {};
    return Malformed("it is of kind '" + std::string(kind) + "'");
  }
};

namespace {

using MaybeBytes = std::optional<std::string_view>;

/// The envelope's fields, and in field 2 the list's own, of which 1 is metadata and 2 an object.
class ProtobufList final : public ListReader::Format {
 public:
  bool json() const override { return false; }
  bool AtEnd() const override { return seen_list_ && list_left_ == 0; }

  Result<MaybeBytes> Next(std::string_view& left) override {
    for (;;) {
      FLYBALL_TRY(const auto field, ReadField(left));
      if (!field) return std::nullopt;
      const auto [number, bytes] = *field;
      if (number == 0) continue;  // the list has begun, or a number that nobody asks for
      if (!in_list_) {
        FLYBALL_TRY(ReadOfEnvelope(number, bytes));
      } else if (number == 2) {
        return bytes;
      } else if (number == 1) {
        FLYBALL_TRY(metadata, DecodeProtobuf<meta::v1::ListMeta>(bytes));
      }
    }
  }

 private:
  struct Field {
    std::uint64_t number;
    std::string_view bytes;
  };

  /// The next whole field. The one that the list is in is not waited for, only entered.
  Result<std::optional<Field>> ReadField(std::string_view& left) {
    in_list_ = list_left_ > 0;
    std::string_view rest = left;
    FLYBALL_TRY(const auto tag, ReadVarint(rest));
    if (!tag) return std::nullopt;
    std::uint64_t size = 0;
    switch (*tag & 7) {
      case 0: {
        FLYBALL_TRY(const auto value, ReadVarint(rest));
        if (!value) return std::nullopt;
        const std::size_t whole = left.size() - rest.size();
        if (in_list_ && whole > list_left_) return Malformed("a field is longer than the list");
        Advance(left, whole);
        return Field{0, {}};
      }
      case 1:
        size = 8;
        break;
      case 5:
        size = 4;
        break;
      case 2: {
        FLYBALL_TRY(const auto length, ReadVarint(rest));
        if (!length) return std::nullopt;
        size = *length;
        break;
      }
      default:
        return Malformed("not protobuf");
    }
    if (!in_list_ && *tag == kListTag) {
      if (std::exchange(seen_list_, true)) return Malformed("two lists in one envelope");
      left = rest;
      list_left_ = size;
      return Field{0, {}};
    }
    if (size > ListReader::kMaxItemSize) return Malformed("an object of more than 16 MiB");
    const std::size_t whole = left.size() - rest.size() + size;
    if (in_list_ && whole > list_left_) return Malformed("a field is longer than the list");
    if (rest.size() < size) return std::nullopt;
    Advance(left, whole);
    return Field{*tag >> 3, rest.substr(0, size)};
  }

  void Advance(std::string_view& left, std::size_t size) {
    if (in_list_) list_left_ -= size;
    left.remove_prefix(size);
  }

  Result<> ReadOfEnvelope(std::uint64_t number, std::string_view bytes) {
    if (number == 3 && !bytes.empty()) return Malformed("content encodings are not known");
    if (number != 1) return {};
    FLYBALL_TRY(const std::string_view kind, KindOfTypeMeta(bytes));
    return CheckKind(kind);
  }

  static Result<std::optional<std::uint64_t>> ReadVarint(std::string_view& left) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (i == 10) return Malformed("not protobuf");
      const auto byte = static_cast<unsigned char>(left[i]);
      value |= static_cast<std::uint64_t>(byte & 0x7f) << (7 * i);
      if (byte >= 0x80) continue;
      left.remove_prefix(i + 1);
      return value;
    }
    return std::nullopt;
  }

  static constexpr std::uint64_t kListTag = (2 << 3) | 2;

  bool seen_list_ = false;
  bool in_list_ = false;
  std::uint64_t list_left_ = 0;
};

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Finds where a JSON value ends, in text of which ever more comes. Whether it is a good value, its
/// decoder says.
class JsonValueEnd {
 public:
  /// `text` begins with the value. Goes on where the last call stopped.
  std::optional<std::size_t> Find(std::string_view text) {
    for (; at_ < text.size(); ++at_) {
      const char c = text[at_];
      if (in_text_) {
        if (escaped_) {
          escaped_ = false;
        } else if (c == '\\') {
          escaped_ = true;
        } else if (c == '"') {
          in_text_ = false;
          if (depth_ == 0) return End(at_ + 1);
        }
      } else if (c == '"') {
        in_text_ = true;
      } else if (c == '{' || c == '[') {
        ++depth_;
      } else if (depth_ > 0) {
        if ((c == '}' || c == ']') && --depth_ == 0) return End(at_ + 1);
      } else if (c == ',' || c == '}' || c == ']' || IsSpace(c)) {
        return End(at_);  // of a number, true, false or null
      }
    }
    return std::nullopt;
  }

 private:
  std::size_t End(std::size_t at) {
    *this = {};
    return at;
  }

  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  bool in_text_ = false;
  bool escaped_ = false;
};

/// An object with a member "items", which is a list, or null.
class JsonList final : public ListReader::Format {
 public:
  bool json() const override { return true; }
  bool AtEnd() const override { return state_ == State::kEnd; }

  Result<MaybeBytes> Next(std::string_view& left) override {
    for (;;) {
      while (!left.empty() && IsSpace(left.front())) left.remove_prefix(1);
      if (left.empty()) return std::nullopt;
      if (state_ == State::kValue && name_ == "\"items\"" && left.front() == '[') {
        state_ = State::kItemOrEnd;
        left.remove_prefix(1);
        continue;
      }
      if (state_ == State::kNameOrEnd && left.front() != '}') state_ = State::kName;
      if (state_ == State::kItemOrEnd && left.front() != ']') state_ = State::kItem;
      if (state_ == State::kName || state_ == State::kValue || state_ == State::kItem) {
        FLYBALL_TRY(const auto value, Value(left));
        if (!value) return std::nullopt;
        if (state_ == State::kItem) {
          state_ = State::kAfterItem;
          return *value;
        }
        FLYBALL_TRY(Member(*value));
      } else {
        FLYBALL_TRY(Punctuation(left.front()));
        left.remove_prefix(1);
      }
    }
  }

 private:
  enum class State : std::uint8_t {
    kBegin,
    kNameOrEnd,
    kName,
    kColon,
    kValue,
    kAfterValue,
    kItemOrEnd,
    kItem,
    kAfterItem,
    kEnd
  };

  Result<MaybeBytes> Value(std::string_view& left) {
    const auto end = end_.Find(left);
    if (!end) {
      if (left.size() > ListReader::kMaxItemSize) return Malformed("an object of over 16 MiB");
      return std::nullopt;
    }
    const std::string_view value = left.substr(0, *end);
    if (value.empty()) return Malformed("not JSON");
    left.remove_prefix(*end);
    return value;
  }

  Result<> Member(std::string_view text) {
    if (state_ == State::kName) {
      name_ = text;
      state_ = State::kColon;
      return {};
    }
    state_ = State::kAfterValue;
    if (name_ == "\"metadata\"") {
      FLYBALL_TRY(metadata, DecodeJson<meta::v1::ListMeta>(text));
    } else if (name_ == "\"kind\"") {
      return CheckKind(text.starts_with('"') ? text.substr(1, text.size() - 2) : text);
    } else if (name_ == "\"items\"" && text != "null") {
      return Malformed("its items are not a list");
    }
    return {};
  }

  /// One character on its own, and where it leads.
  Result<> Punctuation(char c) {
    const State next = After(c);
    if (next == state_) return Malformed(std::string("unexpected '") + c + "' in JSON");
    state_ = next;
    return {};
  }

  State After(char c) {
    switch (state_) {
      case State::kBegin:
        return c == '{' ? State::kNameOrEnd : state_;
      case State::kNameOrEnd:
      case State::kAfterValue:
        if (c == '}') return State::kEnd;
        return c == ',' && state_ == State::kAfterValue ? State::kName : state_;
      case State::kItemOrEnd:
      case State::kAfterItem:
        if (c == ']') return State::kAfterValue;
        return c == ',' && state_ == State::kAfterItem ? State::kItem : state_;
      case State::kColon:
        return c == ':' ? State::kValue : state_;
      default:
        return state_;
    }
  }

  JsonValueEnd end_;
  std::string name_;
  State state_ = State::kBegin;
};

}  // namespace

ListReader::ListReader() = default;
ListReader::~ListReader() = default;

void ListReader::Feed(std::string_view bytes) {
  buffer_.erase(0, read_);
  read_ = 0;
  buffer_.append(bytes);
}

Result<std::optional<ListReader::Item>> ListReader::Next() {
  std::string_view left = std::string_view(buffer_).substr(read_);
  if (!format_) {
    const std::size_t looked_at = std::min(left.size(), kProtobufMagic.size());
    if (left.substr(0, looked_at) != kProtobufMagic.substr(0, looked_at)) {
      format_ = std::make_unique<JsonList>();
    } else if (looked_at == kProtobufMagic.size()) {
      format_ = std::make_unique<ProtobufList>();
      left.remove_prefix(looked_at);
    } else {
      return std::nullopt;
    }
  }
  FLYBALL_TRY(const auto bytes, format_->Next(left));
  read_ = buffer_.size() - left.size();
  if (!bytes) return std::nullopt;
  return Item{*bytes, format_->json()};
}

Result<meta::v1::ListMeta> ListReader::Finish() {
  if (!format_ || !format_->AtEnd() || read_ != buffer_.size()) {
    return Fail(ErrorCode::kIo, "list: ends in the middle");
  }
  return std::move(format_->metadata);
}

}  // namespace flyball::api

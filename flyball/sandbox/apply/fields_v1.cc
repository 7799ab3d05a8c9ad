#include "flyball/sandbox/apply/fields_v1.h"

#include <array>
#include <charconv>
#include <optional>

namespace flyball::sandbox::apply {
namespace {

constexpr int kMaxDepth = 200;  // twice what an object may have

enum class Escape : std::uint8_t { kPlain, kForHtml };

/// A string in quotes. Names of members are written plainly, the values inside of keys with the
/// escapes for HTML: upstream's writer does so.
void AppendQuoted(std::string& out, std::string_view text, Escape escape) {
  constexpr char kDigits[] = "0123456789abcdef";
  out += '"';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const auto byte = static_cast<unsigned char>(c);
    const bool html = escape == Escape::kForHtml;
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n' || c == '\r' || c == '\t') {
      out += c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t";
    } else if (byte < 0x20 || (html && (c == '<' || c == '>' || c == '&'))) {
      out += "\\u00";
      out += kDigits[byte >> 4];
      out += kDigits[byte & 0xf];
    } else if (html && text.substr(i, 2) == "\xe2\x80" && i + 2 < text.size() &&
               (text[i + 2] == '\xa8' || text[i + 2] == '\xa9')) {
      out += text[i + 2] == '\xa8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      out += c;
    }
  }
  out += '"';
}

void AppendValue(std::string& out, const Json& value) {
  if (const auto* text = value.If<std::string>()) {
    AppendQuoted(out, *text, Escape::kForHtml);
  } else if (const auto* whole = value.If<std::int64_t>()) {
    out += std::to_string(*whole);
  } else {
    out += value.ToString();
  }
}

void AppendElement(std::string& out, const PathElement& element) {
  if (const std::string* name = element.field()) {
    out += "f:";
    out += *name;
  } else if (const Json* value = element.value()) {
    out += "v:";
    AppendValue(out, *value);
  } else if (const std::int64_t* index = element.index()) {
    out += "i:" + std::to_string(*index);
  } else {
    out += "k:{";
    bool first = true;
    for (const KeyField& field : *element.key()) {
      if (!first) out += ',';
      first = false;
      AppendQuoted(out, field.name, Escape::kPlain);
      out += ':';
      AppendValue(out, field.value);
    }
    out += '}';
  }
}

void AppendSet(std::string& out, const FieldSet& set, std::string& scratch) {
  bool first = true;
  for (const FieldSet::Node& node : set.nodes()) {
    if (!first) out += ',';
    first = false;
    scratch.clear();
    AppendElement(scratch, node.element);
    AppendQuoted(out, scratch, Escape::kPlain);
    if (node.children.Empty()) {
      out += ":{}";
      continue;
    }
    out += node.owned ? ":{\".\":{}," : ":{";
    AppendSet(out, node.children, scratch);
    out += '}';
  }
}

/// Goes through the text once. The shapes that upstream writes are read directly; a value that is
/// not a plain one is left to the JSON reader.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Result<FieldSet> Read() {
    FieldSet set;
    bool owned = false;
    FLYBALL_TRY(ReadSet(set, owned, 0));
    SkipSpace();
    if (at_ != text_.size()) return Refuse("more follows after the object");
    return set;
  }
  /// Whether the writer would have written what was read.
  bool canonical() const { return canonical_; }

 private:
  std::unexpected<Error> Refuse(std::string_view why) const {
    return Fail(ErrorCode::kMalformed,
                "fieldsV1, byte " + std::to_string(at_) + ": " + std::string(why));
  }
  void SkipSpace() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) {
      canonical_ = false;
      ++at_;
    }
  }
  bool Take(char c) {
    if (at_ < text_.size() && text_[at_] == c) {
      ++at_;
      return true;
    }
    SkipSpace();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  /// The object at this place. `owned`: the path that leads to it is in the set as well.
  Result<> ReadSet(FieldSet& set, bool& owned, int depth);
  Result<> ReadMember(FieldSet& set, bool& owned, int depth);
  /// Past one JSON value of any kind.
  Result<> Skip(int depth);
  Result<> SkipMembers(char close, int depth);
  /// The string at this place; what it stands for is either in the text or in `buffer`.
  Result<std::string_view> ReadString(std::string& buffer);
  Result<> Unescape(std::string& out);
  /// Nothing where the kind of step is unknown.
  Result<std::optional<PathElement>> ReadElement(std::string_view name);
  /// A key whose fields are strings, numbers or booleans; nothing where it is another, or none.
  std::optional<ItemKey> ReadPlainKey();
  std::optional<Json> ReadPlainValue();

  std::string_view text_;
  std::size_t at_ = 0;
  bool canonical_ = true;
};

Result<> Reader::ReadSet(FieldSet& set, bool& owned, int depth) {
  if (depth > kMaxDepth) return Refuse("too deep");
  SkipSpace();
  if (text_.substr(at_, 4) == "null") {
    at_ += 4;
    owned = true;
    canonical_ = false;
    return {};
  }
  if (!Take('{')) return Refuse("not an object");
  if (!Take('}')) {
    do {
      FLYBALL_TRY(ReadMember(set, owned, depth));
    } while (Take(','));
    if (!Take('}')) return Refuse("the object does not end");
    if (set.Empty()) canonical_ = false;
  }
  if (set.Empty()) owned = true;
  return {};
}

Result<> Reader::ReadMember(FieldSet& set, bool& owned, int depth) {
  SkipSpace();
  std::string buffer;
  FLYBALL_TRY(const std::string_view name, ReadString(buffer));
  if (!Take(':')) return Refuse("a member without a value");
  if (name == ".") {
    if (owned || depth == 0 || !set.Empty() || text_.substr(at_, 2) != "{}") canonical_ = false;
    owned = true;
    return Skip(depth);
  }
  FLYBALL_TRY(std::optional<PathElement> element, ReadElement(name));
  if (!element) {
    canonical_ = false;
    return Skip(depth);
  }
  if (!set.Empty() && set.nodes().back().element.Compare(*element) >= 0) canonical_ = false;
  FieldSet children;
  bool element_owned = false;
  FLYBALL_TRY(ReadSet(children, element_owned, depth + 1));
  set.Attach(*std::move(element), element_owned, std::move(children));
  return {};
}

Result<> Reader::Skip(int depth) {
  if (depth > kMaxDepth) return Refuse("too deep");
  SkipSpace();
  if (at_ >= text_.size()) return Refuse("a value is missing");
  std::string buffer;
  switch (text_[at_]) {
    case '"':
      FLYBALL_TRY(ReadString(buffer));
      return {};
    case '{':
      return SkipMembers('}', depth);
    case '[':
      return SkipMembers(']', depth);
    default: {
      const std::size_t end = std::min(text_.find_first_of(",]} \n\t\r", at_), text_.size());
      FLYBALL_TRY(Json::Parse(text_.substr(at_, end - at_)));
      at_ = end;
      return {};
    }
  }
}

Result<> Reader::SkipMembers(char close, int depth) {
  ++at_;
  if (Take(close)) return {};
  do {
    if (close == '}') {
      SkipSpace();
      std::string buffer;
      FLYBALL_TRY(ReadString(buffer));
      if (!Take(':')) return Refuse("a member without a value");
    }
    FLYBALL_TRY(Skip(depth + 1));
  } while (Take(','));
  if (!Take(close)) return Refuse("a value does not end");
  return {};
}

Result<std::string_view> Reader::ReadString(std::string& buffer) {
  if (at_ >= text_.size() || text_[at_] != '"') return Refuse("not a string");
  const std::size_t begin = ++at_;
  while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\') ++at_;
  if (at_ < text_.size() && text_[at_] == '"') return text_.substr(begin, at_++ - begin);
  buffer = text_.substr(begin, at_ - begin);
  while (at_ < text_.size() && text_[at_] != '"') {
    if (text_[at_] == '\\') {
      FLYBALL_TRY(Unescape(buffer));
    } else {
      buffer += text_[at_++];
    }
  }
  if (at_ >= text_.size()) return Refuse("a string does not end");
  ++at_;
  return buffer;
}

Result<> Reader::Unescape(std::string& out) {
  const char kind = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
  if (kind == '"' || kind == '\\') {
    out += kind;
    at_ += 2;
    return {};
  }
  canonical_ = false;
  // The rare ones, with surrogate pairs and all, are the JSON reader's.
  std::size_t length = 2;
  if (kind == 'u') length = text_.substr(at_ + 6, 2) == "\\u" ? 12 : 6;
  Result<Json> read = Json::Parse("\"" + std::string(text_.substr(at_, length)) + "\"");
  if (!read && length == 12) {
    length = 6;
    read = Json::Parse("\"" + std::string(text_.substr(at_, length)) + "\"");
  }
  if (!read || read->If<std::string>() == nullptr) return Refuse("an escape that is none");
  out += *read->If<std::string>();
  at_ += length;
  return {};
}

std::optional<Json> Reader::ReadPlainValue() {
  if (at_ >= text_.size()) return std::nullopt;
  if (text_[at_] == '"') {
    std::string buffer;
    const Result<std::string_view> text = ReadString(buffer);
    if (!text) return std::nullopt;
    return Json(*text);
  }
  for (const bool flag : {false, true}) {
    const std::string_view word = flag ? "true" : "false";
    if (text_.substr(at_, word.size()) != word) continue;
    at_ += word.size();
    return Json(flag);
  }
  std::int64_t whole = 0;
  const char* const end = text_.data() + text_.size();
  const auto read = std::from_chars(text_.data() + at_, end, whole);
  const bool plain =
      read.ec == std::errc() && (read.ptr == end || *read.ptr == ',' || *read.ptr == '}');
  if (!plain) return std::nullopt;
  at_ = static_cast<std::size_t>(read.ptr - text_.data());
  // All numbers become doubles, as upstream reads them.
  return Json(static_cast<double>(whole));
}

std::optional<ItemKey> Reader::ReadPlainKey() {
  ItemKey key;
  if (!Take('{')) return std::nullopt;
  do {
    std::string buffer;
    const Result<std::string_view> name = ReadString(buffer);
    if (!name || !Take(':')) return std::nullopt;
    std::optional<Json> value = ReadPlainValue();
    if (!value) return std::nullopt;
    key.push_back({std::string(*name), *std::move(value)});
  } while (Take(','));
  if (!Take('}') || at_ != text_.size()) return std::nullopt;
  return key;
}

Result<PathElement> ReadKey(std::string_view text, std::optional<ItemKey> plain) {
  if (plain) return PathElement::Key(*std::move(plain));
  FLYBALL_TRY(Json value, Json::Parse(text, api::JsonNumbers::kFloat64));
  auto* members = value.If<Json::Object>();
  if (members == nullptr && !value.IsNull()) {
    return Fail(ErrorCode::kMalformed, "fieldsV1: a key that is no object");
  }
  ItemKey key;
  if (members != nullptr) {
    for (auto& [field, part] : *members) key.push_back({field, std::move(part)});
  }
  return PathElement::Key(std::move(key));
}

Result<PathElement> ReadIndex(std::string_view text) {
  std::int64_t index = 0;
  const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (end.ec != std::errc() || end.ptr != digits.data() + digits.size()) {
    return Fail(ErrorCode::kMalformed, "fieldsV1: an index that is no number");
  }
  return PathElement::Index(index);
}

Result<std::optional<PathElement>> Reader::ReadElement(std::string_view name) {
  if (name.size() < 2 || name[1] != ':') return Refuse("a name that is no step of a path");
  const std::string_view rest = name.substr(2);
  std::optional<PathElement> element;
  if (name[0] == 'f') return PathElement::Field(rest);
  if (name[0] == 'v') {
    FLYBALL_TRY(Json value, Json::Parse(rest, api::JsonNumbers::kFloat64));
    element = PathElement::Value(std::move(value));
  } else if (name[0] == 'k') {
    FLYBALL_TRY(element, ReadKey(rest, Reader(rest).ReadPlainKey()));
  } else if (name[0] == 'i') {
    FLYBALL_TRY(element, ReadIndex(rest));
  } else {
    return element;
  }
  std::string written;
  AppendElement(written, *element);
  if (written != name) canonical_ = false;
  return element;
}

}  // namespace

Result<ReadFields> ReadFieldsV1(std::string_view text) {
  Reader reader(text);
  ReadFields read;
  FLYBALL_TRY(read.fields, reader.Read());
  read.canonical = reader.canonical();
  return read;
}

std::string WriteFieldsV1(const FieldSet& fields) {
  std::string out = "{";
  std::string scratch;
  AppendSet(out, fields, scratch);
  out += '}';
  return out;
}

}  // namespace flyball::sandbox::apply

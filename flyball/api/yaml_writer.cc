#include "flyball/api/yaml_writer.h"

#include <algorithm>

#include "flyball/api/internal/yaml_scalar.h"
#include "flyball/api/json_writer.h"
#include "flyball/api/utf8.h"

namespace flyball::api {
namespace {

bool IsControl(char c) { return (c >= 0 && c < 0x20) || c == 0x7f; }

/// How many bytes a character takes that a YAML reader refuses or takes for a line end unless it is
/// escaped, if one starts here; JSON writes these as they are, but for U+2028 and U+2029.
std::size_t OddLength(std::string_view text) {
  if (text.starts_with('\x7f')) return 1;
  if (text.size() > 1 &&
      text[0] == '\xc2') {  // U+0080 to U+009F, and the space that looks like one
    const auto second = static_cast<unsigned char>(text[1]);
    return second <= 0xa0 ? 2 : 0;
  }
  for (const std::string_view odd :
       {"\xe2\x80\xa8", "\xe2\x80\xa9", "\xef\xbb\xbf", "\xef\xbf\xbe", "\xef\xbf\xbf"}) {
    if (text.starts_with(odd)) return odd.size();
  }
  return 0;
}

/// Whether some of a text has to be escaped, bytes that are no characters too.
bool HasOdd(std::string_view text) {
  if (!IsValidUtf8(text)) return true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (OddLength(text.substr(i)) > 0) return true;
  }
  return false;
}

std::string EscapeOdd(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  unsigned code = byte(0);
  if (character.size() == 2) code = (byte(0) & 0x1fU) << 6 | (byte(1) & 0x3fU);
  if (character.size() == 3) {
    code = (byte(0) & 0xfU) << 12 | (byte(1) & 0x3fU) << 6 | (byte(2) & 0x3fU);
  }
  constexpr char kHex[] = "0123456789abcdef";
  std::string escape = "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) escape += kHex[code >> shift & 0xf];
  return escape;
}

/// Whether a text can stand without quotes and is read back as that text by any YAML 1.1 or 1.2.
bool IsPlain(std::string_view text) {
  if (text.empty() || !std::holds_alternative<std::string>(ResolveYamlScalar(text))) return false;
  // Digits with colons are base 60 to some readers, and dates are dates to others.
  if (text.front() >= '0' && text.front() <= '9') {
    if (text.find_first_not_of("0123456789:.-_tTzZ +") == std::string_view::npos) return false;
  }
  constexpr std::string_view kIndicators = "-?:,[]{}#&*!|>'\"%@`= ~";
  const bool dash_word = text.size() > 1 && (text[0] == '-' || text[0] == '?' || text[0] == ':') &&
                         text[1] != ' ' && text[0] == '-' && text != "---";
  if (kIndicators.find(text.front()) != std::string_view::npos && !dash_word) return false;
  if (text.starts_with("---") || text.starts_with("...")) return false;
  if (text.back() == ' ' || text.back() == ':') return false;
  if (text.find(": ") != std::string_view::npos || text.find(" #") != std::string_view::npos) {
    return false;
  }
  return std::ranges::none_of(text, IsControl) && !HasOdd(text);
}

/// Whether a text of several lines can stand as a block, every byte of it.
bool IsBlock(std::string_view text) {
  if (text.find('\n') == std::string_view::npos) return false;
  if (text.front() == ' ' || text.front() == '\n' || text.front() == '\t') return false;
  const bool odd = std::ranges::any_of(
      text, [](char c) { return (IsControl(c) && c != '\n' && c != '\t') || c == '\r'; });
  return !odd && !HasOdd(text);
}

class Writer {
 public:
  std::string Take() { return std::move(out_); }

  /// A value behind "key:" or "-", or a document of its own.
  void Value(const Json& value, int indent, bool after_key) {
    if (const auto* object = value.If<Json::Object>(); object && !object->empty()) {
      return Members(*object, indent, after_key);
    }
    if (const auto* array = value.If<Json::Array>(); array && !array->empty()) {
      return Elements(*array, indent, after_key);
    }
    if (after_key) out_ += ' ';
    if (const auto* text = value.If<std::string>()) {
      Text(*text, indent);
    } else {
      out_ += value.ToString();
    }
    out_ += '\n';
  }

 private:
  void Indent(int indent) { out_.append(static_cast<std::size_t>(indent), ' '); }

  void Members(const Json::Object& object, int indent, bool after_key) {
    if (after_key) out_ += '\n';
    bool first = !after_key;
    for (const auto& [name, value] : object) {
      if (!first) Indent(indent);
      first = false;
      Key(name, indent);
      // A list stands at the column of its key.
      const bool list = value.If<Json::Array>() != nullptr;
      Value(value, list ? indent : indent + 2, /*after_key=*/true);
    }
  }

  void Key(const std::string& name, int indent) {
    const std::size_t begin = out_.size();
    if (IsPlain(name)) {
      out_ += name;
    } else {
      Quote(name);
    }
    // Readers look for the colon in the next 1024 characters, unless they are told of a key.
    constexpr std::size_t kLongKey = 1000;
    if (out_.size() - begin > kLongKey) {
      out_.insert(begin, "? ");
      out_ += '\n';
      Indent(indent);
    }
    out_ += ':';
  }

  void Elements(const Json::Array& array, int indent, bool after_key) {
    if (after_key) out_ += '\n';
    bool first = !after_key;
    for (const Json& element : array) {
      if (!first) Indent(indent);
      first = false;
      out_ += "- ";
      Value(element, indent + 2, /*after_key=*/false);
    }
  }

  void Text(const std::string& text, int indent) {
    if (IsPlain(text)) {
      out_ += text;
    } else if (IsBlock(text)) {
      Block(text, std::max(indent, 2));
    } else {
      Quote(text);
    }
  }

  void Block(std::string_view text, int indent) {
    const bool ends_line = text.ends_with('\n');
    const bool ends_blank = text.ends_with("\n\n");
    out_ += ends_blank ? "|+" : ends_line ? "|" : "|-";
    if (ends_line) text.remove_suffix(1);
    while (true) {
      const auto end = std::min(text.find('\n'), text.size());
      out_ += '\n';
      if (end > 0) Indent(indent);
      out_ += text.substr(0, end);
      if (end == text.size()) return;
      text.remove_prefix(end + 1);
    }
  }

  /// JSON's strings are YAML's double-quoted ones, but for some characters.
  void Quote(std::string_view text) {
    std::string quoted;
    JsonWriter(quoted).String(text);
    for (std::size_t i = 0; i < quoted.size();) {
      if (const std::size_t length = OddLength(std::string_view(quoted).substr(i)); length > 0) {
        out_ += EscapeOdd(std::string_view(quoted).substr(i, length));
        i += length;
      } else {
        out_ += quoted[i++];
      }
    }
  }

  std::string out_;
};

}  // namespace

std::string ToYaml(const Json& document) {
  Writer writer;
  writer.Value(document, 0, /*after_key=*/false);
  return writer.Take();
}

}  // namespace flyball::api

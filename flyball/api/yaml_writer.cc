#include "flyball/api/yaml_writer.h"

#include <algorithm>

#include "flyball/api/json_writer.h"
#include "flyball/api/yaml_scalar.h"

namespace flyball::api {
namespace {

constexpr std::string_view kNextLine = "\xc2\x85";

bool IsControl(char c) { return c >= 0 && c < 0x20; }

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
  // Letters of other scripts are fine; invisible characters and line ends are not worth the risk.
  return std::ranges::none_of(text, IsControl) && text.find("\xc2") == std::string_view::npos &&
         text.find("\xe2\x80") == std::string_view::npos && FindYamlUnprintable(text).length == 0;
}

/// Whether a text of several lines can stand as a block, every byte of it.
bool IsBlock(std::string_view text) {
  if (text.find('\n') == std::string_view::npos) return false;
  if (text.front() == ' ' || text.front() == '\n' || text.front() == '\t') return false;
  return text.find('\r') == std::string_view::npos &&
         text.find(kNextLine) == std::string_view::npos &&
         text.find("\xe2\x80") == std::string_view::npos && FindYamlUnprintable(text).length == 0;
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
      const bool is_explicit = Key(name, indent);
      out_ += ':';
      // A list stands at the column of its key.
      const bool list = value.If<Json::Array>() != nullptr && !is_explicit;
      Value(value, list ? indent : indent + 2, /*after_key=*/true);
    }
  }

  /// True if the key is marked as one: readers look for the colon behind a key, but no further than
  /// 1024 characters.
  bool Key(std::string_view name, int indent) {
    constexpr std::size_t kLongestSimpleKey = 1000;
    const std::size_t begin = out_.size();
    if (IsPlain(name)) {
      out_ += name;
    } else {
      Quote(name);
    }
    if (out_.size() - begin <= kLongestSimpleKey) return false;
    out_.insert(begin, "? ");
    out_ += '\n';
    Indent(indent);
    return true;
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

  /// JSON's strings are YAML's double-quoted ones, but for what YAML wants escaped as well.
  void Quote(std::string_view text) {
    std::string json;
    JsonWriter(json).String(text);
    // A line end to many readers, who would fold it into a blank.
    for (auto at = json.find(kNextLine); at != std::string::npos; at = json.find(kNextLine, at)) {
      json.replace(at, kNextLine.size(), "\\u0085");
    }
    std::string_view rest = json;
    for (auto found = FindYamlUnprintable(rest); found.length != 0;
         found = FindYamlUnprintable(rest)) {
      out_ += rest.substr(0, found.at);
      out_ += "\\u";
      constexpr std::string_view kHex = "0123456789abcdef";
      for (int shift = 12; shift >= 0; shift -= 4) out_ += kHex[found.code >> shift & 0xf];
      rest.remove_prefix(found.at + found.length);
    }
    out_ += rest;
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

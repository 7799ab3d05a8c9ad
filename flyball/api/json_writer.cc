#include "flyball/api/json_writer.h"

#include "flyball/api/utf8.h"

namespace flyball::api {
namespace {

constexpr char kHex[] = "0123456789abcdef";

}  // namespace

void JsonWriter::BeforeValue() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (depth_ == 0) return;
  if (!first_) out_ += ',';
  first_ = false;
  NewLine();
}

void JsonWriter::NewLine() {
  if (indent_ == 0) return;
  out_ += '\n';
  out_.append(static_cast<std::size_t>(depth_) * static_cast<std::size_t>(indent_), ' ');
}

void JsonWriter::Open(char bracket) {
  BeforeValue();
  out_ += bracket;
  ++depth_;
  first_ = true;
}

void JsonWriter::Close(char bracket) {
  --depth_;
  if (!first_) NewLine();
  out_ += bracket;
  first_ = false;
}

void JsonWriter::BeginObject() { Open('{'); }
void JsonWriter::EndObject() { Close('}'); }
void JsonWriter::BeginArray() { Open('['); }
void JsonWriter::EndArray() { Close(']'); }

void JsonWriter::Key(std::string_view name) {
  BeforeValue();
  Quote(name);
  out_ += indent_ == 0 ? ":" : ": ";
  after_key_ = true;
}

void JsonWriter::String(std::string_view text) {
  BeforeValue();
  Quote(text);
}

void JsonWriter::Number(std::string_view text) {
  BeforeValue();
  out_ += text;
}

void JsonWriter::Bool(bool value) {
  BeforeValue();
  out_ += value ? "true" : "false";
}

void JsonWriter::Null() {
  BeforeValue();
  out_ += "null";
}

void JsonWriter::Quote(std::string_view text) {
  out_ += '"';
  std::size_t plain = 0;  // start of the run that needs no escape
  const auto escape = [&](std::size_t at, std::size_t length, std::string_view with) {
    out_.append(text.substr(plain, at - plain)).append(with);
    plain = at + length;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c < 0x80 && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&')
      continue;
    if (c >= 0x80) {
      const std::string_view rest = text.substr(i);
      const std::size_t size = CharacterSize(rest);
      if (size == 0) {
        escape(i, 1, "\\ufffd");
        continue;
      }
      if (rest.starts_with("\u2028")) escape(i, size, "\\u2028");
      if (rest.starts_with("\u2029")) escape(i, size, "\\u2029");
      i += size - 1;
      continue;
    }
    switch (c) {
      case '"':
        escape(i, 1, "\\\"");
        break;
      case '\\':
        escape(i, 1, "\\\\");
        break;
      case '\b':
        escape(i, 1, "\\b");
        break;
      case '\f':
        escape(i, 1, "\\f");
        break;
      case '\n':
        escape(i, 1, "\\n");
        break;
      case '\r':
        escape(i, 1, "\\r");
        break;
      case '\t':
        escape(i, 1, "\\t");
        break;
      default: {
        const char code[] = {'\\', 'u', '0', '0', kHex[c >> 4], kHex[c & 0xf]};
        escape(i, 1, {code, sizeof(code)});
      }
    }
  }
  out_.append(text.substr(plain));
  out_ += '"';
}

}  // namespace flyball::api

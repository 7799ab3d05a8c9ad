#include "flyball/up/view/styled_text.h"

#include <utility>

namespace flyball::up {
namespace {

constexpr std::string_view kMark = "…";

/// The escape that makes what follows look so.
std::string_view Escape(Style style) {
  switch (style) {
    case Style::kPlain:
      return "";
    case Style::kDim:
      return "\x1b[2m";
    case Style::kBold:
      return "\x1b[1m";
    case Style::kGood:
      return "\x1b[32m";
    case Style::kBusy:
      return "\x1b[36m";
    case Style::kBad:
      return "\x1b[31m";
  }
  return "";
}

bool StartsCharacter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }
bool IsControl(char byte) { return static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f; }

}  // namespace

std::size_t ColumnsOf(std::string_view text) {
  std::size_t columns = 0;
  for (const char byte : text) {
    if (StartsCharacter(byte) && !IsControl(byte)) ++columns;
  }
  return columns;
}

std::string Fitted(std::string_view text, std::size_t columns) {
  const bool cut = ColumnsOf(text) > columns;
  if (cut && columns == 0) return {};
  const std::size_t room = cut ? columns - 1 : columns;
  std::string fitted;
  std::size_t taken = 0;
  for (const char byte : text) {
    if (IsControl(byte)) continue;
    if (StartsCharacter(byte) && taken++ == room) break;
    fitted += byte;
  }
  if (cut) fitted += kMark;
  return fitted;
}

StyledText& StyledText::Add(std::string_view text, Style style) {
  std::string fitted = Fitted(text, left());
  used_ += ColumnsOf(fitted);
  parts_.push_back({std::move(fitted), style});
  return *this;
}

StyledText& StyledText::To(std::size_t column) {
  if (column > used_) Add(std::string(std::min(column, width_) - used_, ' '));
  return *this;
}

std::string StyledText::ToString(bool colours) const {
  std::string text;
  for (const Part& part : parts_) {
    const std::string_view escape = colours ? Escape(part.style) : "";
    text.append(escape).append(part.text);
    if (!escape.empty()) text += "\x1b[0m";
  }
  return text;
}

}  // namespace flyball::up

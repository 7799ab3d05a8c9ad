#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace flyball::up {

enum class Style : std::uint8_t { kPlain, kDim, kBold, kGood, kBusy, kBad };

/// Text of which parts look different. Its width is that of what is seen, and it never grows beyond
/// the one it was made for: what does not fit is cut, with a mark where there is room for one.
class StyledText {
 public:
  explicit StyledText(std::size_t width) : width_(width) {}

  StyledText& Add(std::string_view text, Style style = Style::kPlain);
  /// Blanks up to a column.
  StyledText& To(std::size_t column);

  std::size_t used() const { return used_; }
  std::size_t left() const { return width_ - used_; }
  /// As a terminal takes it, or without anything but the text.
  std::string ToString(bool colours) const;

 private:
  struct Part {
    std::string text;
    Style style;
  };

  std::size_t width_;
  std::size_t used_ = 0;
  std::vector<Part> parts_;
};

/// How many columns a text takes: one for each character, and none for what is no text.
std::size_t ColumnsOf(std::string_view text);
/// As much of a text as fits, with its last column a mark if there is more; without what would move
/// a terminal's cursor.
std::string Fitted(std::string_view text, std::size_t columns);

}  // namespace flyball::up

#include "flyball/ctl/tab_writer.h"

#include <algorithm>

namespace flyball::ctl {
namespace {

/// In characters, not bytes.
std::size_t LengthOf(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t end = 0; (end = text.find(separator)) != std::string_view::npos;) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

}  // namespace

std::string TabWriter::Align(std::string_view text) {
  std::vector<Line> lines;
  for (const std::string_view line : Split(text, '\n')) lines.push_back(Split(line, '\t'));
  if (text.empty() || text.ends_with('\n')) lines.pop_back();
  std::string out;
  AlignBlock(lines, 0, lines.size(), out);
  return out;
}

/// The lines from `first` on, whose columns before this one have their widths already.
void TabWriter::AlignBlock(const std::vector<Line>& lines, std::size_t first, std::size_t end,
                           std::string& out) {
  const std::size_t column = widths_.size();
  for (std::size_t line = first; line < end; ++line) {
    if (column + 1 >= lines[line].size()) continue;
    for (; first < line; ++first) Write(lines[first], out);
    widths_.push_back(WidthOf(lines, line, end));
    AlignBlock(lines, first, line, out);
    widths_.pop_back();
    first = line;
  }
  for (; first < end; ++first) Write(lines[first], out);
}

/// Of the column that comes next, from `line` on; moves it to the first one that has no such cell.
std::size_t TabWriter::WidthOf(const std::vector<Line>& lines, std::size_t& line, std::size_t end) {
  const std::size_t column = widths_.size();
  std::size_t width = options_.least_width;
  for (; line < end && column + 1 < lines[line].size(); ++line) {
    width = std::max(width, LengthOf(lines[line][column]) + options_.padding);
  }
  if (!options_.remember_widths) return width;
  if (column == remembered_.size()) remembered_.push_back(0);
  remembered_[column] = std::max(remembered_[column], width);
  return remembered_[column];
}

void TabWriter::Write(const Line& line, std::string& out) const {
  for (std::size_t column = 0; column < line.size(); ++column) {
    out += line[column];
    // A line has a cell in each column of its block, and one behind the last.
    if (column < widths_.size()) out.append(widths_[column] - LengthOf(line[column]), ' ');
  }
  out += '\n';
}

}  // namespace flyball::ctl

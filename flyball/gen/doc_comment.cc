#include "flyball/gen/doc_comment.h"

#include <vector>

namespace flyball::gen {
namespace {

constexpr std::size_t kColumns = 100;

/// Marks that change the direction of what follows: U+200E, U+200F, U+202A to U+202E and U+2066 to
/// U+2069. Source that shows other than it compiles is an attack.
bool IsDirectionMark(std::string_view bytes) {
  if (bytes.size() < 3 || bytes[0] != '\xe2') return false;
  const auto second = static_cast<unsigned char>(bytes[1]);
  const auto third = static_cast<unsigned char>(bytes[2]);
  if (second == 0x80) return third == 0x8e || third == 0x8f || (third >= 0xaa && third <= 0xae);
  return second == 0x81 && third >= 0xa6 && third <= 0xa9;
}

/// The paragraphs of a text, each as its words.
std::vector<std::vector<std::string>> Paragraphs(std::string_view text) {
  std::vector<std::vector<std::string>> paragraphs(1);
  std::string word;
  bool line_empty = true;
  const auto end_word = [&] {
    if (!word.empty()) paragraphs.back().push_back(std::move(word));
    word.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (IsDirectionMark(text.substr(i))) {
      i += 2;
    } else if (static_cast<unsigned char>(c) > ' ' && c != '\x7f') {
      word += c;
      line_empty = false;
    } else {
      end_word();
      if (c != '\n') continue;
      if (line_empty && !paragraphs.back().empty()) paragraphs.emplace_back();
      line_empty = true;
    }
  }
  end_word();
  if (paragraphs.back().empty()) paragraphs.pop_back();
  return paragraphs;
}

}  // namespace

std::string DocComment(std::string_view text, std::string_view indent) {
  const std::string start = std::string(indent) + "///";
  std::string comment;
  const auto end_line = [&](std::string& line) {
    // A backslash (or the trigraph for one) at the end would join the next line to the comment.
    if (line.ends_with('\\') || line.ends_with("?\?/")) line += '.';
    comment += line + "\n";
    line = start;
  };
  for (const auto& words : Paragraphs(text)) {
    if (!comment.empty()) comment += start + "\n";
    std::string line = start;
    for (const auto& word : words) {
      if (line != start && line.size() + 1 + word.size() > kColumns) end_line(line);
      line += " " + word;
    }
    end_line(line);
  }
  return comment;
}

}  // namespace flyball::gen

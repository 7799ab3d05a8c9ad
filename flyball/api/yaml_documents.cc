#include "flyball/api/yaml_documents.h"

#include <algorithm>

namespace flyball::api {
namespace {

constexpr std::string_view kSeparator = "---";

std::string_view TakeLine(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

/// What stands behind the separator on its line belongs to the document that it begins.
bool IsSeparator(std::string_view line) {
  return line.starts_with(kSeparator) &&
         (line.size() == kSeparator.size() || std::string_view(" \t\r").contains(line[3]));
}

bool SaysNothing(std::string_view line) {
  const auto first = line.find_first_not_of(" \t\r");
  return first == std::string_view::npos || line[first] == '#';
}

}  // namespace

std::vector<YamlDocument> YamlDocumentsIn(std::string_view text) {
  std::vector<YamlDocument> documents;
  int number = 1;
  const char* begin = text.data();
  bool says_nothing = true;
  bool separated = false;
  const auto finish = [&](const char* end) {
    if (!says_nothing) documents.push_back({.number = number, .text = {begin, end}});
  };
  while (!text.empty()) {
    const std::string_view line = TakeLine(text);
    if (!IsSeparator(line)) {
      says_nothing = says_nothing && SaysNothing(line);
      continue;
    }
    finish(line.data());
    // The first begins with one, if it has one.
    if (separated || !says_nothing) ++number;
    separated = true;
    const std::string_view behind = line.substr(kSeparator.size());
    says_nothing = SaysNothing(behind);
    begin = says_nothing ? text.data() : behind.data();
  }
  finish(text.data());
  return documents;
}

}  // namespace flyball::api

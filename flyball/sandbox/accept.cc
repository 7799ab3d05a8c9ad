#include "flyball/sandbox/accept.h"

#include <ranges>
#include <utility>

namespace flyball::sandbox {
namespace {

AcceptClause ParseClause(std::string_view text) {
  AcceptClause clause;
  bool first = true;
  for (const auto part : std::views::split(text, ';')) {
    const std::string_view piece = TrimBlanks({part.begin(), part.end()});
    if (std::exchange(first, false)) {
      clause.type = piece;
      continue;
    }
    const auto equals = piece.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = piece.substr(0, equals);
    const std::string_view value = piece.substr(equals + 1);
    if (name == "as") clause.as = value;
    if (name == "g") clause.group = value;
    if (name == "v") clause.version = value;
  }
  return clause;
}

}  // namespace

std::string_view TrimBlanks(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::vector<AcceptClause> ParseAccept(std::string_view header) {
  std::vector<AcceptClause> clauses;
  if (header.empty()) return clauses;
  for (const auto each : std::views::split(header, ',')) {
    clauses.push_back(ParseClause({each.begin(), each.end()}));
  }
  return clauses;
}

}  // namespace flyball::sandbox

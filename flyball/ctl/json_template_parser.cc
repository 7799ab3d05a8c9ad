#include "flyball/ctl/json_template_parser.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "flyball/ctl/error_text.h"

namespace flyball::ctl::json_template {
namespace {

std::unexpected<Error> Malformed(std::string message) {
  return std::unexpected(UsageError(std::move(message)));
}

bool IsSpace(char c) { return c == ' ' || c == '\t'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool EndsName(char c) { return IsSpace(c) || std::string_view("\r\n.,[]$@{}").contains(c); }
bool IsNameStart(char c) {
  return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || IsDigit(c) ||
         (c & 0x80) != 0;
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<std::int64_t> ParseInteger(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// What is inside a pair of braces, or of the brackets of a filter.
class ActionParser {
 public:
  explicit ActionParser(std::string_view text) : rest_(text) {}

  Result<Part> Parse() {
    while (!rest_.empty()) FLYBALL_TRY(ParseNext());
    return std::move(part_);
  }

 private:
  void Add(Step step) { part_.steps.push_back(std::move(step)); }

  Result<> ParseNext() {
    if (rest_.starts_with("[?(")) return ParseFilter();
    if (rest_.starts_with("..")) return ParseDescend();
    const char next = rest_.front();
    if (next == ' ' || next == '@' || next == '$') {
      rest_.remove_prefix(1);
      return {};
    }
    if (next == '[') return ParseBrackets();
    if (next == '"' || next == '\'') return ParseQuoted();
    if (next == '.') {
      rest_.remove_prefix(1);
      return ParseMember();
    }
    if (next == '+' || next == '-' || IsDigit(next)) return ParseNumber();
    if (IsNameStart(next)) return ParseWord();
    return Malformed(std::string("unrecognized character in action: ") + next);
  }

  Result<> ParseDescend() {
    rest_.remove_prefix(2);
    if (!part_.steps.empty() && std::holds_alternative<Descend>(part_.steps.back().what)) {
      return Malformed("invalid multiple recursive descent");
    }
    Add({Descend()});
    if (!rest_.empty() && (IsNameStart(rest_.front()) || rest_.front() == '*')) {
      return ParseMember();
    }
    return {};
  }

  Result<> ParseMember() {
    std::string name;
    std::size_t end = 0;
    for (; end < rest_.size() && !EndsName(rest_[end]); ++end) {
      if (rest_[end] == '\\' && end + 1 < rest_.size()) ++end;
      name += rest_[end];
    }
    rest_.remove_prefix(end);
    if (name == "*") {
      Add({Everything()});
    } else {
      Add({Member{std::move(name)}});
    }
    return {};
  }

  Result<> ParseWord() {
    const auto* const end = std::ranges::find_if(rest_, EndsName);
    const std::string word(rest_.begin(), end);
    rest_.remove_prefix(word.size());
    if (word == "true" || word == "false") {
      Add({Literal{word == "true"}});
    } else if (word == "range" || word == "end") {
      part_.kind = word == "end" ? Part::Kind::kEnd : Part::Kind::kRange;
    } else {
      return Malformed("unrecognized identifier " + word);
    }
    return {};
  }

  Result<> ParseNumber() {
    std::size_t end = 1;
    while (end < rest_.size() && (IsDigit(rest_[end]) || rest_[end] == '.')) ++end;
    std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(end);
    if (text.front() == '+') text.remove_prefix(1);
    if (const auto whole = ParseInteger(text)) {
      Add({Literal{*whole}});
      return {};
    }
    double number = 0;
    const auto [last, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failed != std::errc() || last != text.data() + text.size()) {
      return Malformed("cannot parse number " + std::string(text));
    }
    Add({Literal{number}});
    return {};
  }

  /// Moves past a text in quotes, and returns what it says.
  static Result<std::string> TakeQuoted(std::string_view& rest) {
    const char quote = rest.front();
    std::string text;
    for (std::size_t i = 1; i < rest.size(); ++i) {
      if (rest[i] == quote) {
        rest.remove_prefix(i + 1);
        return text;
      }
      if (rest[i] != '\\' || i + 1 == rest.size()) {
        text += rest[i];
        continue;
      }
      constexpr std::string_view kEscapes = "n\nt\tr\r\\\\\"\"''";
      std::size_t known = 0;
      while (known < kEscapes.size() && kEscapes[known] != rest[i + 1]) known += 2;
      if (known >= kEscapes.size()) {
        return Malformed("unquote string " + std::string(rest) + " error invalid syntax");
      }
      text += kEscapes[known + 1];
      ++i;
    }
    return Malformed("unterminated quoted string");
  }

  Result<> ParseQuoted() {
    FLYBALL_TRY(std::string text, TakeQuoted(rest_));
    Add({Literal{std::move(text)}});
    return {};
  }

  /// `[0]`, `[*]`, `[1:3]`, `['a.b']`, or several of these with commas between.
  Result<> ParseBrackets() {
    std::string_view rest = rest_.substr(1);
    std::vector<Steps> branches;
    std::string_view plain = rest;
    for (;;) {
      const std::size_t end = rest.find_first_of("],'\"");
      if (end == std::string_view::npos) return Malformed("unterminated array");
      if (rest[end] == '\'' || rest[end] == '"') {
        rest.remove_prefix(end);
        FLYBALL_TRY(std::string name, TakeQuoted(rest));
        branches.push_back({{Member{std::move(name)}}});
        const std::size_t next = rest.find_first_of("],");
        if (next == std::string_view::npos) return Malformed("unterminated array");
        plain = {};
        rest.remove_prefix(next);
      } else {
        plain = rest.substr(0, end);
        rest.remove_prefix(end);
        FLYBALL_TRY(const Slice slice, ParseSlice(Trim(plain)));
        branches.push_back({{slice}});
      }
      const char separator = rest.front();
      rest.remove_prefix(1);
      if (separator == ']') break;
    }
    rest_ = rest;
    if (branches.size() == 1) {
      Add(std::move(branches.front().front()));
    } else {
      Add({Union{std::move(branches)}});
    }
    return {};
  }

  static Result<Slice> ParseSlice(std::string_view text) {
    if (text == "*") return Slice();
    const auto invalid = [&] { return Malformed("invalid array index " + std::string(text)); };
    std::vector<std::string_view> bounds;
    for (std::string_view rest = text;;) {
      const std::size_t colon = rest.find(':');
      bounds.push_back(rest.substr(0, colon));
      if (colon == std::string_view::npos) break;
      rest.remove_prefix(colon + 1);
    }
    if (bounds.size() > 3) return invalid();
    std::optional<std::int64_t> numbers[3];
    for (std::size_t i = 0; i < bounds.size(); ++i) {
      if (bounds[i].empty()) continue;
      numbers[i] = ParseInteger(bounds[i]);
      if (!numbers[i]) return invalid();
    }
    if (bounds.size() == 1 && !numbers[0]) return invalid();
    if (numbers[2].value_or(1) <= 0) return Malformed("step must be > 0");
    return Slice{numbers[0], numbers[1], numbers[2].value_or(1), bounds.size() == 1};
  }

  /// Where the condition of a filter ends: at the first bracket outside of quotes.
  static std::size_t EndOfFilter(std::string_view text) {
    char quote = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (quote != 0) {
        if (text[i] == '\\') {
          ++i;
        } else if (text[i] == quote) {
          quote = 0;
        }
      } else if (text[i] == '"' || text[i] == '\'') {
        quote = text[i];
      } else if (text[i] == ')') {
        return i;
      }
    }
    return std::string_view::npos;
  }

  Result<> ParseFilter() {
    std::string_view rest = rest_.substr(3);
    const std::size_t end = EndOfFilter(rest);
    if (end == std::string_view::npos) return Malformed("unterminated filter");
    const std::string_view condition = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    if (!rest.starts_with(']')) return Malformed("unclosed array expect ]");
    rest_ = rest.substr(1);
    Filter filter;
    const std::size_t at = condition.find_first_of("!<>=");
    FLYBALL_TRY(Part left, ActionParser(condition.substr(0, at)).Parse());
    filter.left = std::move(left.steps);
    if (at != std::string_view::npos) {
      const std::size_t behind = condition.find_first_not_of("!<>=", at);
      const std::string_view sign = condition.substr(at, behind - at);
      FLYBALL_TRY(filter.comparison, ParseComparison(sign));
      if (behind == std::string_view::npos) return Malformed("unterminated filter");
      FLYBALL_TRY(Part right, ActionParser(condition.substr(behind)).Parse());
      filter.right = std::move(right.steps);
    }
    Add({std::move(filter)});
    return {};
  }

  static Result<Comparison> ParseComparison(std::string_view sign) {
    constexpr std::pair<std::string_view, Comparison> kSigns[] = {
        {"==", Comparison::kEqual}, {"!=", Comparison::kNotEqual}, {"<", Comparison::kLess},
        {">", Comparison::kMore},   {"<=", Comparison::kAtMost},   {">=", Comparison::kAtLeast},
    };
    for (const auto& [text, comparison] : kSigns) {
      if (text == sign) return comparison;
    }
    return Malformed("unrecognized filter operator " + std::string(sign));
  }

  std::string_view rest_;
  Part part_;
};

/// The brace that closes an action: quotes and brackets may have others in them.
std::size_t EndOfAction(std::string_view text) {
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quote != 0) {
      if (text[i] == '\\') {
        ++i;
      } else if (text[i] == quote) {
        quote = 0;
      }
    } else if (text[i] == '"' || text[i] == '\'') {
      quote = text[i];
    } else if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '}') {
      return i;
    }
  }
  return std::string_view::npos;
}

}  // namespace

Result<std::vector<Part>> ParseParts(std::string_view text) {
  std::vector<Part> parts;
  int ranges = 0;
  while (!text.empty()) {
    if (const std::string_view plain = text.substr(0, text.find('{')); !plain.empty()) {
      parts.push_back({.steps = {{Literal{plain}}}});
      text.remove_prefix(plain.size());
      continue;
    }
    text.remove_prefix(1);
    const std::size_t end = EndOfAction(text);
    if (end == std::string_view::npos) return Malformed("unclosed action");
    FLYBALL_TRY(Part part, ActionParser(text.substr(0, end)).Parse());
    text.remove_prefix(end + 1);
    if (part.kind == Part::Kind::kRange) ++ranges;
    if (part.kind == Part::Kind::kEnd && --ranges < 0) {
      return Malformed("not in range, nothing to end");
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace flyball::ctl::json_template

// The string form of a label selector.
//
//   selector    = [ requirement *( "," requirement ) ]
//   requirement = [ "!" ] key | key ( "=" | "==" | "!=" | ">" | "<" ) [ value ]
//                             | key ( "in" | "notin" ) "(" [ value ] *( "," [ value ] ) ")"
//
// A word is anything between blanks and symbols; "in" and "notin" are operators where an operator
// is expected and words elsewhere, so that `in in (in)` is a selector.
#include <algorithm>

#include "flyball/api/label_selector.h"
#include "flyball/api/label_validation.h"

namespace flyball::api {
namespace {

constexpr bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
constexpr bool IsSymbol(char c) {
  return c == '=' || c == '!' || c == '(' || c == ')' || c == ',' || c == '>' || c == '<';
}

struct Token {
  enum class Kind : std::uint8_t { kEnd, kWord, kSymbol };
  Kind kind = Kind::kEnd;
  std::string_view text;
  std::size_t offset = 0;

  bool IsEnd() const { return kind == Kind::kEnd; }
  bool IsWord() const { return kind == Kind::kWord; }
  bool Is(std::string_view symbol) const { return kind == Kind::kSymbol && text == symbol; }
};

/// Cuts the text into tokens, of which the next one can be seen.
/// PARITY: a NUL byte ends the text where a token would begin, and ends a token it stands behind,
/// being swallowed: "a\0=b" reads as "a=b".
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text), next_(Scan()) {}

  const Token& next() const { return next_; }

  Token Take() {
    const Token taken = next_;
    if (!taken.IsEnd()) next_ = Scan();
    return taken;
  }

 private:
  Token Scan() {
    while (position_ < text_.size() && IsBlank(text_[position_])) ++position_;
    const std::size_t start = position_;
    if (start == text_.size() || text_[start] == '\0') return {Token::Kind::kEnd, {}, start};

    const bool symbol = IsSymbol(text_[start]);
    ++position_;
    if (!symbol) {
      while (position_ < text_.size() && text_[position_] != '\0' && !IsSymbol(text_[position_]) &&
             !IsBlank(text_[position_])) {
        ++position_;
      }
    } else if ((text_[start] == '=' || text_[start] == '!') && position_ < text_.size() &&
               text_[position_] == '=') {
      ++position_;
    }
    const Token token{symbol ? Token::Kind::kSymbol : Token::Kind::kWord,
                      text_.substr(start, position_ - start), start};
    if (position_ < text_.size() && text_[position_] == '\0') ++position_;
    return token;
  }

  const std::string_view text_;
  std::size_t position_ = 0;
  Token next_;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), lexer_(text) {}

  Result<Selector> Parse() {
    Selector::Builder selector;
    if (lexer_.next().IsEnd()) return Selector();
    for (;;) {
      FLYBALL_TRY(ParseRequirement(selector));
      const Token token = lexer_.Take();
      if (token.IsEnd()) return std::move(selector).Build();
      if (!token.Is(",")) return Unexpected(token, "',' or the end");
    }
  }

 private:
  Result<> ParseRequirement(Selector::Builder& selector) {
    const bool negated = lexer_.next().Is("!");
    if (negated) lexer_.Take();
    const Token key = lexer_.Take();
    if (!key.IsWord()) return Unexpected(key, negated ? "a label key after '!'" : "a label key");

    std::vector<std::string> values;
    LabelOperator op = LabelOperator::kExists;
    if (negated) {
      op = LabelOperator::kDoesNotExist;
    } else if (!lexer_.next().IsEnd() && !lexer_.next().Is(",")) {
      FLYBALL_TRY(op, ParseOperator());
      if (op == LabelOperator::kIn || op == LabelOperator::kNotIn) {
        FLYBALL_TRY(values, ParseValueSet());
      } else {
        FLYBALL_TRY(values, ParseSingleValue());
      }
    }
    if (const auto added = selector.Add(std::string(key.text), op, std::move(values)); !added) {
      return std::unexpected(Error(added.error().code(), InContext(key, added.error().message())));
    }
    return {};
  }

  Result<LabelOperator> ParseOperator() {
    constexpr LabelOperator kBinary[] = {
        LabelOperator::kEquals,   LabelOperator::kDoubleEquals, LabelOperator::kNotEquals,
        LabelOperator::kIn,       LabelOperator::kNotIn,        LabelOperator::kGreaterThan,
        LabelOperator::kLessThan,
    };
    const Token token = lexer_.Take();
    const auto* const known =
        std::ranges::find(kBinary, token.text, [](LabelOperator op) { return ToString(op); });
    if (token.IsEnd() || known == std::end(kBinary)) {
      return Unexpected(token, "one of = == != in notin > <");
    }
    return *known;
  }

  Result<std::vector<std::string>> ParseSingleValue() {
    if (lexer_.next().IsEnd() || lexer_.next().Is(",")) return std::vector<std::string>{""};
    const Token token = lexer_.Take();
    if (!token.IsWord()) return Unexpected(token, "a value");
    return std::vector<std::string>{std::string(token.text)};
  }

  /// Between two commas, or a comma and a parenthesis, there is an empty value. Each value counts
  /// once, however often it is written.
  Result<std::vector<std::string>> ParseValueSet() {
    if (const Token open = lexer_.Take(); !open.Is("(")) return Unexpected(open, "'('");
    std::vector<std::string> values;
    for (;;) {
      values.emplace_back(lexer_.next().IsWord() ? lexer_.Take().text : "");
      const Token token = lexer_.Take();
      if (token.Is(")")) break;
      if (!token.Is(",")) return Unexpected(token, "',' or ')' in the list of values");
    }
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
  }

  std::unexpected<Error> Unexpected(const Token& token, std::string_view wanted) const {
    const std::string found = token.IsEnd() ? "the end" : QuoteForMessage(token.text);
    return Fail(ErrorCode::kMalformed,
                InContext(token, "found " + found + ", expected " + std::string(wanted)));
  }

  std::string InContext(const Token& token, std::string_view message) const {
    return "label selector " + QuoteForMessage(text_) + ", byte " + std::to_string(token.offset) +
           ": " + std::string(message);
  }

  const std::string_view text_;
  Lexer lexer_;
};

}  // namespace

Result<Selector> Selector::Parse(std::string_view text) { return Parser(text).Parse(); }

}  // namespace flyball::api

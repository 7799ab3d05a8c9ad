#include "flyball/sandbox/custom/pattern.h"

#include <re2/re2.h>

#include <cstdint>

namespace flyball::sandbox {
namespace {

/// As Go's package regexp says it.
std::string_view TextOf(re2::RE2::ErrorCode code) {
  switch (code) {
    case re2::RE2::ErrorBadEscape:
      return "invalid escape sequence";
    case re2::RE2::ErrorBadCharClass:
      return "invalid character class";
    case re2::RE2::ErrorBadCharRange:
      return "invalid character class range";
    case re2::RE2::ErrorMissingBracket:
      return "missing closing ]";
    case re2::RE2::ErrorMissingParen:
      return "missing closing )";
    case re2::RE2::ErrorUnexpectedParen:
      return "unexpected )";
    case re2::RE2::ErrorTrailingBackslash:
      return "trailing backslash at end of expression";
    case re2::RE2::ErrorRepeatArgument:
      return "missing argument to repetition operator";
    case re2::RE2::ErrorRepeatSize:
      return "invalid repeat count";
    case re2::RE2::ErrorRepeatOp:
      return "invalid nested repetition operator";
    case re2::RE2::ErrorBadPerlOp:
      return "invalid or unsupported Perl syntax";
    case re2::RE2::ErrorBadUTF8:
      return "invalid UTF-8";
    case re2::RE2::ErrorBadNamedCapture:
      return "invalid named capture";
    default:
      return "regexp/syntax: internal error";
  }
}

}  // namespace

Result<Pattern> Pattern::Compile(const std::string& text, std::size_t memory) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(static_cast<std::int64_t>(memory));
  auto compiled = std::make_shared<const re2::RE2>(text, options);
  if (compiled->ok()) return Pattern(std::move(compiled));
  if (compiled->error_code() == re2::RE2::ErrorPatternTooLarge) {
    return Fail(ErrorCode::kTooLarge, "the regular expression takes more than " +
                                          std::to_string(memory) + " bytes when compiled");
  }
  if (compiled->error_arg() == "(?<") {
    return Fail(ErrorCode::kUnsupported, "a group has to be named as in `(?P<name>...)`");
  }
  return Fail(ErrorCode::kInvalid,
              "error parsing regexp: " + std::string(TextOf(compiled->error_code())) + ": `" +
                  compiled->error_arg() + "`");
}

bool Pattern::Matches(std::string_view text) const {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *compiled_);
}

}  // namespace flyball::sandbox

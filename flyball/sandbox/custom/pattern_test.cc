#include "flyball/sandbox/custom/pattern.h"

#include <gtest/gtest.h>

namespace flyball::sandbox {
namespace {

bool Matches(const std::string& pattern, std::string_view text) {
  return Pattern::Compile(pattern).value().Matches(text);
}

std::string ErrorOf(const std::string& pattern) {
  const auto compiled = Pattern::Compile(pattern);
  return compiled ? "" : compiled.error().message();
}

TEST(Pattern, MatchesAnywhereUnlessAnchored) {
  EXPECT_TRUE(Matches("b+", "abbc"));
  EXPECT_FALSE(Matches("^b+$", "abbc"));
  EXPECT_TRUE(Matches("^b+$", "bb"));
  EXPECT_FALSE(Matches("^b+$", "bb\n")) << "the end of a text is not before its last line feed";
  EXPECT_TRUE(Matches("(?m)^b$", "a\nb\nc"));
}

TEST(Pattern, TakesCharactersForCodePoints) {
  EXPECT_TRUE(Matches("^.$", "é"));
  EXPECT_TRUE(Matches(R"(^\p{L}+$)", "Füße"));
  EXPECT_FALSE(Matches(R"(^\w+$)", "Füße"));
}

TEST(Pattern, TakesTimeThatGrowsWithTextAlone) {
  EXPECT_FALSE(Matches("^(a+)+$", std::string(36, 'a') + "!"));
  EXPECT_FALSE(Matches("^(a|aa)*(a|a?)+$", std::string(100'000, 'a') + "!"));
  EXPECT_TRUE(Matches("^(a+)+$", std::string(1'000'000, 'a')));
}

TEST(Pattern, RefusesWhatGoRefusesInItsWords) {
  const std::pair<const char*, const char*> errors[] = {
      {"(a", "missing closing ): `(a`"},
      {"a)", "unexpected ): `a)`"},
      {"[a", "missing closing ]: `[a`"},
      {"[z-a]", "invalid character class range: `z-a`"},
      {"a**", "invalid nested repetition operator: `**`"},
      {"*", "missing argument to repetition operator: `*`"},
      {"a{1001}", "invalid repeat count: `{1001}`"},
      {"a{2,1}", "invalid repeat count: `{2,1}`"},
      {"(?=a)b", "invalid or unsupported Perl syntax: `(?=`"},
      {"(?!a)", "invalid or unsupported Perl syntax: `(?!`"},
      {"\\", "trailing backslash at end of expression: ``"},
      {R"(\1)", R"(invalid escape sequence: `\1`)"},
      {"(?P<n", "invalid named capture: `(?P<n`"},
  };
  for (const auto& [pattern, error] : errors) {
    EXPECT_EQ(ErrorOf(pattern), std::string("error parsing regexp: ") + error) << pattern;
    EXPECT_EQ(Pattern::Compile(pattern).error().code(), ErrorCode::kInvalid) << pattern;
  }
}

TEST(Pattern, DoesNotRefuseWhatGoTakes) {
  EXPECT_EQ(Pattern::Compile(R"(\p{L}{1,1000})").error().code(), ErrorCode::kTooLarge);
  EXPECT_EQ(Pattern::Compile("(?<n>a)").error().code(), ErrorCode::kUnsupported);
  EXPECT_TRUE(Pattern::Compile(R"(\p{L}{1,253})"));
  EXPECT_FALSE(Pattern::Compile(R"(\p{L}{1,253})", 1 << 20));
}

}  // namespace
}  // namespace flyball::sandbox

/// Inputs that once went wrong, most of them found by yaml_fuzz.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "flyball/api/json.h"
#include "flyball/api/utf8.h"
#include "flyball/api/yaml_reader.h"
#include "flyball/api/yaml_writer.h"

namespace flyball::api {
namespace {

using testing::HasSubstr;

/// The JSON that a YAML text stands for, or the error.
std::string Read(std::string_view text) {
  JsonTreeSink tree;
  const auto read = ReadYaml(text, tree);
  return read ? tree.Take().ToString() : read.error().Describe();
}

std::string Repeat(std::string_view text, int times) {
  std::string repeated;
  for (int i = 0; i < times; ++i) repeated += text;
  return repeated;
}

// 0.5 was read as the octal number 5, and 0e3 as 3.
TEST(YamlRegression, FractionBelowOneIsNoOctalInteger) {
  EXPECT_EQ(Read("[0.5, -0.25, 0e3, 0.10, 017, 0o17, 0x1f, 0b11, 08]"),
            "[0.5,-0.25,0,0.1,15,15,31,3,8]");
}

// yaml-cpp read such a text as empty documents without end, until memory was gone.
TEST(YamlRegression, TextBehindTheDocumentIsRefused) {
  EXPECT_EQ(Read("\"a\",b"),
            "malformed: YAML, line 1, column 4: text behind the end of the document");
  EXPECT_THAT(Read("[a]]"), HasSubstr("malformed: YAML, line 1, column 4"));
  EXPECT_THAT(Read("\"a\" ~"), HasSubstr("text behind the end of the document"));
}

TEST(YamlRegression, EmptyDocumentsAroundTheOneAreFine) {
  EXPECT_EQ(Read("# a\n---\nb: 1\n...\n---\n# c\n"), "{\"b\":1}");
  EXPECT_EQ(Read("\xef\xbb\xbf"
                 "b: 1\n---\n"),
            "{\"b\":1}");
  EXPECT_EQ(Read("%YAML 1.2\n---\nb: 1\n"), "{\"b\":1}");
  EXPECT_EQ(Read("---\n---\n"), "malformed: YAML: no document");
  EXPECT_EQ(Read("a: 1\n---\nb: 2\n"), "malformed: YAML: 2 documents where one belongs");
}

// Each mapping counted for two levels.
TEST(YamlRegression, MappingsNestAsDeepAsJson) {
  for (const int depth : {99, 100}) {
    const std::string text = Repeat("{\"a\":", depth) + "[]" + Repeat("}", depth);
    EXPECT_EQ(Json::Parse(text).has_value(), depth == 99) << depth;
    EXPECT_EQ(Read(text) == text, depth == 99) << Read(text);
  }
}

TEST(YamlRegression, DeepNestingIsAnErrorAndNoOverflow) {
  for (const std::string_view opening : {"[", "{a: ", "- ", "? ", "[{"}) {
    EXPECT_THAT(Read(Repeat(opening, 100'000)), HasSubstr("malformed: YAML")) << opening;
  }
}

TEST(YamlRegression, MappingThatMergesItselfIsAnError) {
  EXPECT_THAT(Read("&a {<<: *a}"), HasSubstr("nested deeper than 100 levels"));
  EXPECT_THAT(Read("&a {<<: [*a, *a]}"), HasSubstr("malformed"));
  EXPECT_THAT(Read("&a [*a, *a]"), HasSubstr("malformed"));
}

// A set of all names was copied for every mapping that was merged.
TEST(YamlRegression, ManyMergesTakeNoLongerThanTheirText) {
  std::string text = "x: &x {}\n";
  for (int i = 0; i < 10'000; ++i) text += "k" + std::to_string(i) + ": 1\n";
  text += "<<: [" + Repeat("*x, ", 20'000) + "]\n";
  EXPECT_THAT(Read(text), HasSubstr("\"k9999\":1"));
}

// yaml-cpp guessed UTF-32 from the zeros, and what it made of the text was no UTF-8.
TEST(YamlRegression, ControlCharactersAreRefused) {
  using namespace std::string_view_literals;
  EXPECT_EQ(Read("\1\0\0\0\0\0\0\3on: a"sv), "malformed: YAML: a control character at byte 0");
  EXPECT_EQ(Read("a: b\x7f"), "malformed: YAML: a control character at byte 4");
  EXPECT_EQ(Read("a: \xc2\x80"), "malformed: YAML: a control character at byte 3");
  EXPECT_EQ(Read("a: \xef\xbf\xbf"), "malformed: YAML: a control character at byte 3");
}

TEST(YamlRegression, WhatYamlCannotHoldIsWrittenAsAnEscape) {
  const Json document(Json::Object{
      {"text", "\x01\x7f\xc2\x80\xc2\x85\xef\xbb\xbf\xef\xbf\xbe"},
      {"lines", "a\n\x7f"},
  });
  const std::string yaml = ToYaml(document);
  EXPECT_EQ(yaml,
            "lines: \"a\\n\\u007f\"\n"
            "text: \"\\u0001\\u007f\\u0080\\u0085\\ufeff\\ufffe\"\n");
  EXPECT_EQ(Read(yaml), document.ToString());
}

// Readers give up looking for the colon behind a key of more than 1024 characters.
TEST(YamlRegression, LongKeysAreReadBack) {
  for (const char c : {'k', '\x01'}) {
    const std::string name(1100, c);
    const Json document(Json::Object{
        {name, Json::Array{1, Json::Object{{name, Json::Object{{"a", "b"}}}}}},
        {name + "1", Json::Object{{name, "x\ny\n"}, {"z", Json::Array()}}},
        {"last", true},
    });
    EXPECT_EQ(Read(ToYaml(document)), document.ToString());
  }
  EXPECT_EQ(ToYaml(Json(Json::Object{{std::string(1001, 'k'), Json::Object{{"a", 1}}}})),
            "? " + std::string(1001, 'k') + "\n:\n  a: 1\n");
}

// yaml-cpp makes a byte of Latin-1 of \N and of \_.
TEST(YamlRegression, EscapesOfTwoByteCharactersAreUtf8) {
  EXPECT_EQ(Read("\"é\\N\\_\\xe9ü\\N\""), "\"é\xc2\x85\xc2\xa0éü\xc2\x85\"");
}

// yaml-cpp's messages quote single bytes.
TEST(YamlRegression, ErrorsAreUtf8) {
  const std::string error = Read("\"\\\xc3\xa9\"");
  EXPECT_THAT(error, HasSubstr("malformed: YAML, line 1"));
  EXPECT_TRUE(IsValidUtf8(error)) << error;
}

}  // namespace
}  // namespace flyball::api

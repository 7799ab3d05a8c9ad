#include "flyball/api/yaml_writer.h"

#include <string>

#include "flyball/api/yaml_reader.h"
#include "gtest/gtest.h"

namespace flyball::api {
namespace {

std::string Written(std::string_view json) { return ToYaml(*Json::Parse(json)); }

/// What stands behind "k:" when a text is the value.
std::string Scalar(const std::string& text) {
  const std::string document = ToYaml(Json::Object{{"k", text}});
  EXPECT_TRUE(document.starts_with("k: ") && document.ends_with("\n")) << document;
  return document.substr(3, document.size() - 4);
}

void ExpectReadBack(const Json& document) {
  const std::string yaml = ToYaml(document);
  JsonTreeSink tree;
  const auto read = ReadYaml(yaml, tree);
  ASSERT_TRUE(read.has_value()) << read.error().Describe() << "\n" << yaml;
  EXPECT_EQ(tree.Take(), document) << yaml;
}

TEST(YamlWriter, WritesAsKubectlPrints) {
  EXPECT_EQ(Written(R"({"kind":"Pod","spec":{"l":[{"a":1,"b":[]},"x",[1,2]],"m":{},"o":null}})"),
            "kind: Pod\n"
            "spec:\n"
            "  l:\n"
            "  - a: 1\n"
            "    b: []\n"
            "  - x\n"
            "  - - 1\n"
            "    - 2\n"
            "  m: {}\n"
            "  o: null\n");
  EXPECT_EQ(Written("[]"), "[]\n");
  EXPECT_EQ(Written("\"x\""), "x\n");
}

TEST(YamlWriter, TextThatLooksLikeSomethingElseIsQuoted) {
  for (const char* text :
       {"",     "true", "yes",  "No",    "on",         "y",     "null", "~",    "0",   "-1",  "08",
        "0x1F", "1e3",  ".5",   "1_000", "2001-01-01", "12:30", ".inf", ".nan", "<<",  "- a", "? a",
        ": a",  "a: b", "a #b", "#a",    "*a",         "&a",    "!a",   "|",    ">",   "%a",  "@a",
        "`a",   "'a",   "[a",   "{a",    "]a",         "}a",    ",a",   "---",  "...", " a",  "a ",
        "a:",   "-",    "=",    "\t",    "a\tb",       "a\rb",  "\x7f", "\"a"}) {
    EXPECT_TRUE(Scalar(text).starts_with('"')) << text << " became " << Scalar(text);
    ExpectReadBack(Json::Object{{"k", text}});
    ExpectReadBack(Json::Object{{text, "v"}});
  }
}

TEST(YamlWriter, OrdinaryTextIsNot) {
  for (const char* text : {"a", "web-0", "a b", "a:b", "a#b", "-a", "http://x/y", "a,b", "it's",
                           "nginx:1.2", "grüße", "日本語", "\U0001f600", "a\"b", "0x"}) {
    EXPECT_EQ(Scalar(text), text);
    ExpectReadBack(Json::Object{{"k", text}});
    ExpectReadBack(Json::Object{{text, "v"}});
  }
}

TEST(YamlWriter, CharactersThatReadersRefuseOrTakeForLineEndsAreEscaped) {
  EXPECT_EQ(Scalar("a\x7f"), R"("a\u007f")");
  EXPECT_EQ(Scalar("a\u0080"), R"("a\u0080")");
  EXPECT_EQ(Scalar("a\u0085b"), R"("a\u0085b")");
  EXPECT_EQ(Scalar("a\u2028b\u2029"), R"("a\u2028b\u2029")");
  EXPECT_EQ(Scalar("\ufeff"), R"("\ufeff")");
  EXPECT_EQ(Scalar("\ufffe\uffff"), R"("\ufffe\uffff")");
  EXPECT_EQ(Scalar(std::string("\0", 1)), R"("\u0000")");
  EXPECT_EQ(Scalar("two\nlines\u0085"), R"("two\nlines\u0085")");
  for (const char* text : {"a\x7f", "a\u0080", "a\u0085b", "\u2028", "\ufeff", "x\ufffe\uffff"}) {
    ExpectReadBack(Json::Object{{"k", text}});
    ExpectReadBack(Json::Object{{text, "v"}});
  }
}

TEST(YamlWriter, BytesThatAreNotUtf8AreTheReplacementCharacter) {
  EXPECT_EQ(Scalar("a\xff"), "\"a\\ufffd\"");
  EXPECT_EQ(Scalar("a\nb\xc3"), "\"a\\nb\\ufffd\"");
}

TEST(YamlWriter, SeveralLinesStandAsABlock) {
  EXPECT_EQ(Written(R"({"a":{"b":"x\ny\n"}})"), "a:\n  b: |\n    x\n    y\n");
  EXPECT_EQ(Written(R"(["x\n\ny"])"), "- |-\n  x\n\n  y\n");
  EXPECT_EQ(Written(R"({"a":"x\n\n","b":1})"), "a: |+\n  x\n\nb: 1\n");
  for (const char* text :
       {"x\ny", "x\ny\n", "x\n\n", "x\n\n\n", "x\n  y\n z", "x\n\ty", "x \ny",
        "a: b\n- c\n#d\n---\n", " x\ny", "\nx", "\n", "x\n ", "x\n\t", "x\r\ny"}) {
    ExpectReadBack(Json::Object{{"k", text}, {"z", 1}});
    ExpectReadBack(Json::Array{text, text});
    ExpectReadBack(Json::Object{{"k", Json::Array{Json::Object{{"a", text}}}}});
  }
}

TEST(YamlWriter, AKeyTooLongForReadersToFindItsColonIsMarked) {
  const std::string key(2000, 'k');
  EXPECT_EQ(ToYaml(Json::Object{{"a", Json::Object{{key, Json::Array{1}}}}}),
            "a:\n  ? " + key + "\n  :\n  - 1\n");
  ExpectReadBack(Json::Object{{"a", Json::Object{{key, Json::Array{1}}, {"z", 2}}}});
  ExpectReadBack(Json::Array{Json::Object{{key, Json::Object{{"b", "c"}}}}});
}

}  // namespace
}  // namespace flyball::api

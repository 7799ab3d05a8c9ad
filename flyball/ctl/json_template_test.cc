#include "flyball/ctl/json_template.h"

#include "flyball/ctl/error_text.h"
#include "gtest/gtest.h"

namespace flyball::ctl {
namespace {

using api::Json;

class JsonTemplateTest : public testing::Test {
 protected:
  std::string Fill(std::string_view text) const {
    const auto parsed = JsonTemplate::Parse(text);
    if (!parsed) return parsed.error().message();
    const auto filled = parsed->Fill(document_);
    return filled ? *filled : filled.error().message();
  }

  Json document_ = *Json::Parse(R"json({
    "kind": "List",
    "items": [
      {"name": "a", "size": 1, "ready": true, "labels": {"k8s.io/app": "web"}, "ports": [1, 2]},
      {"name": "b", "size": 2.5, "ready": false, "note": null},
      {"name": "c (old)", "size": 3, "labels": {"k8s.io/app": "db"}}
    ]})json");
};

TEST_F(JsonTemplateTest, TextStaysAndPathsAreFilledIn) {
  EXPECT_EQ(Fill("kind={.kind}!"), "kind=List!");
  EXPECT_EQ(Fill("{$.items[0].name}{'\\t'}{@.items[1]['name']}{\"\\n\"}"), "a\tb\n");
  EXPECT_EQ(Fill("{.items[1].size} {.items[1].ready} {.items[1].note}"), "2.5 false null");
  EXPECT_EQ(Fill("{.nothing.here}"), "");
}

TEST_F(JsonTemplateTest, ObjectsAndListsAreJson) {
  EXPECT_EQ(Fill("{.items[0].labels}"), R"({"k8s.io/app":"web"})");
  EXPECT_EQ(Fill("{.items[0].ports}"), "[1,2]");
}

TEST_F(JsonTemplateTest, NamesWithDotsAreEscapedOrQuoted) {
  EXPECT_EQ(Fill("{.items[0].labels.k8s\\.io/app}"), "web");
  EXPECT_EQ(Fill("{.items[0].labels['k8s.io/app']}"), "web");
}

TEST_F(JsonTemplateTest, ListsAreSliced) {
  EXPECT_EQ(Fill("{.items[*].name}"), "a b c (old)");
  EXPECT_EQ(Fill("{.items[0:2].name}"), "a b");
  EXPECT_EQ(Fill("{.items[::2].name}"), "a c (old)");
  EXPECT_EQ(Fill("{.items[-1].name}"), "c (old)");
  EXPECT_EQ(Fill("{.items[-2:].name}"), "b c (old)");
  EXPECT_EQ(Fill("{.items[1:1].name}"), "");
  EXPECT_EQ(Fill("{.items[0,2].size}"), "1 3");
  EXPECT_EQ(Fill("{.items[0]['name','size']}"), "a 1");
  EXPECT_EQ(Fill("{.items[7]}"), "array index out of bounds: index 7, length 3");
  EXPECT_EQ(Fill("{.items[:9]}"), "array index out of bounds: index 8, length 3");
  EXPECT_EQ(Fill("{.items[2:1]}"), "starting index 2 is greater than ending index 1");
  EXPECT_EQ(Fill("{.kind[0]}"), "not an array or slice");
}

TEST_F(JsonTemplateTest, RangesRepeatWhatIsInThem) {
  EXPECT_EQ(Fill("{range .items[*]}{.name}: {.size}{\"\\n\"}{end}."),
            "a: 1\nb: 2.5\nc (old): 3\n.");
  EXPECT_EQ(Fill("{range .items[*]}{range .ports[*]}<{@}>{end};{end}"), "<1><2>;;;");
  EXPECT_EQ(Fill("{range .nothing[*]}x{end}y"), "y");
}

TEST_F(JsonTemplateTest, FiltersChoose) {
  EXPECT_EQ(Fill("{.items[?(@.name==\"b\")].size}"), "2.5");
  EXPECT_EQ(Fill("{.items[?(@.name=='c (old)')].size}"), "3");
  EXPECT_EQ(Fill("{.items[?(@.name!=\"b\")].size}"), "1 3");
  EXPECT_EQ(Fill("{.items[?(@.size>1)].name}"), "b c (old)");
  EXPECT_EQ(Fill("{.items[?(@.size>=2.5)].name}"), "b c (old)");
  EXPECT_EQ(Fill("{.items[?(@.size<2)].name}"), "a");
  EXPECT_EQ(Fill("{.items[?(@.size<=1)].name}"), "a");
  EXPECT_EQ(Fill("{.items[?(@.ready==true)].name}"), "a");
  EXPECT_EQ(Fill("{.items[?(@.labels)].name}"), "a c (old)");
  EXPECT_EQ(Fill("{.items[?(@.ports[*]==1)].name}"), "can only compare one element at a time");
}

TEST_F(JsonTemplateTest, TwoDotsLookEverywhere) {
  EXPECT_EQ(Fill("{..name}"), "a b c (old)");
  EXPECT_EQ(Fill("{.items[0]..*}"), R"({"k8s.io/app":"web"} a [1,2] true 1 web 1 2)");
}

TEST_F(JsonTemplateTest, WhatIsMalformedIsNamed) {
  const auto broken = [this](const std::string& text, const std::string& why) {
    EXPECT_EQ(Fill(text), "error parsing jsonpath " + text + ", " + why);
  };
  broken("{.a", "unclosed action");
  broken("{.a[0}", "unterminated array");
  broken("{.a[x]}", "invalid array index x");
  broken("{.a[1:2:3:4]}", "invalid array index 1:2:3:4");
  broken("{.a[::0]}", "step must be > 0");
  broken("{.a[?(@.b]}", "unterminated filter");
  broken("{.a[?(@.b)}", "unclosed array expect ]");
  broken("{.a[?(@.b=<1)]}", "unrecognized filter operator =<");
  broken("{\"a}", "unclosed action");
  broken("{'\\q'}", "unquote string '\\q' error invalid syntax");
  broken("{end}", "not in range, nothing to end");
  broken("{loop .a}", "unrecognized identifier loop");
  broken("{....a}", "invalid multiple recursive descent");
  broken("{1.2.3}", "cannot parse number 1.2.3");
  broken("{.a;}{;}", "unrecognized character in action: ;");
}

TEST_F(JsonTemplateTest, RelaxedPathsNeedNoBraces) {
  for (const char* path : {"kind", ".kind", "{kind}", "{.kind}"}) {
    const auto parsed = JsonTemplate::ParseRelaxed(path);
    ASSERT_TRUE(parsed) << path;
    EXPECT_EQ(*parsed->Find(document_), std::vector<Json>{"List"}) << path;
  }
  EXPECT_FALSE(JsonTemplate::ParseRelaxed("a{b}"));
  EXPECT_FALSE(JsonTemplate::ParseRelaxed(""));
}

}  // namespace
}  // namespace flyball::ctl

#include "flyball/api/field_selector.h"

#include <map>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::api {
namespace {

using Fields = std::map<std::string, std::string>;
using ::testing::ElementsAre;

FieldSelector Parsed(std::string_view text) {
  auto selector = FieldSelector::Parse(text);
  EXPECT_TRUE(selector) << (selector ? "" : selector.error().Describe());
  return selector.value_or(FieldSelector::Nothing());
}

std::string Complaint(std::string_view text) {
  const auto selector = FieldSelector::Parse(text);
  return selector ? "parsed as " + selector->ToString() : selector.error().Describe();
}

TEST(FieldSelector, ReadsTermsAndSortsThem) {
  const FieldSelector selector = Parsed("status.phase!=Running,,metadata.name==web-0,a=");
  EXPECT_THAT(selector.requirements(),
              ElementsAre(FieldRequirement{"a", FieldOperator::kEquals, ""},
                          FieldRequirement{"metadata.name", FieldOperator::kEquals, "web-0"},
                          FieldRequirement{"status.phase", FieldOperator::kNotEquals, "Running"}));
  EXPECT_EQ(selector.ToString(), "a=,metadata.name=web-0,status.phase!=Running");
}

TEST(FieldSelector, IsEverythingWhenNothingIsAsked) {
  for (const char* text : {"", ",", ",,,", "=", "!=", "==,="}) {
    EXPECT_TRUE(Parsed(text).SelectsEverything()) << text;
  }
  EXPECT_TRUE(FieldSelector::Everything().Matches(Fields{}));
}

TEST(FieldSelector, TakesTheFirstOperatorOfATerm) {
  EXPECT_EQ(Parsed("a!b=c").requirements()[0],
            (FieldRequirement{"a!b", FieldOperator::kEquals, "c"}));
  EXPECT_FALSE(FieldSelector::Parse("a!==b"));
}

TEST(FieldSelector, EscapesAndUnescapesValues) {
  EXPECT_EQ(EscapeFieldValue("a,b=c\\d"), "a\\,b\\=c\\\\d");
  EXPECT_EQ(UnescapeFieldValue("a\\,b\\=c\\\\d"), "a,b=c\\d");
  const FieldSelector selector = Parsed("x=a\\,b\\=c\\\\,y=z");
  EXPECT_EQ(selector.requirements()[0].value, "a,b=c\\");
  EXPECT_EQ(selector.ToString(), "x=a\\,b\\=c\\\\,y=z");
  EXPECT_TRUE(selector.Matches(Fields{{"x", "a,b=c\\"}, {"y", "z"}}));
}

TEST(FieldSelector, ReplacesBrokenUtf8OnlyWhereItUnescapes) {
  EXPECT_EQ(UnescapeFieldValue("\xff"), "\xff");
  EXPECT_EQ(UnescapeFieldValue("\\,\xff\xc3\xa9\xed\xa0\x80\xf0\x9f\x98\x80\xe2\x82"),
            ",\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xf0\x9f\x98\x80"
            "\xef\xbf\xbd\xef\xbf\xbd");
}

TEST(FieldSelector, NamesTheTermThatDoesNotParse) {
  EXPECT_EQ(Complaint("a=b,status.phase"),
            "malformed: field selector term \"status.phase\": no '=', '==' or '!='");
  EXPECT_EQ(Complaint("a=b=c"),
            "malformed: field selector term \"a=b=c\": '=' in a value needs a backslash before it");
  EXPECT_EQ(Complaint("a=\\n"),
            "malformed: field selector term \"a=\\\\n\": a backslash may stand before ',', '=' and "
            "'\\' only, not before \"n\"");
  EXPECT_EQ(Complaint("a=b\\"),
            "malformed: field selector term \"a=b\\\\\": a backslash at the end");
}

TEST(FieldSelector, TakesAnAbsentFieldForEmpty) {
  EXPECT_TRUE(Parsed("spec.nodeName=").Matches(Fields{}));
  EXPECT_FALSE(Parsed("spec.nodeName!=").Matches(Fields{}));
  EXPECT_TRUE(Parsed("spec.nodeName!=").Matches(Fields{{"spec.nodeName", "n1"}}));
  EXPECT_FALSE(Parsed("a=1,b=2").Matches(Fields{{"a", "1"}}));
}

TEST(FieldSelector, AsksAFunctionForTheFieldsOfAnObject) {
  const auto pod = [](std::string_view field) -> std::string_view {
    return field == "metadata.name" ? "web-0" : "";
  };
  EXPECT_TRUE(FieldSelector::Equals("metadata.name", "web-0").Matches(pod));
  EXPECT_FALSE(FieldSelector::NotEquals("metadata.name", "web-0").Matches(pod));
}

TEST(FieldSelector, TellsTheOneValueAFieldMustHave) {
  const FieldSelector selector = Parsed("metadata.name=a,metadata.name=b,x!=1,y=");
  EXPECT_EQ(selector.RequiresExactMatch("metadata.name"), "a");
  EXPECT_EQ(selector.RequiresExactMatch("y"), "");
  EXPECT_EQ(selector.RequiresExactMatch("x"), std::nullopt);
  EXPECT_EQ(selector.RequiresExactMatch("z"), std::nullopt);
}

TEST(FieldSelector, NothingStaysNothing) {
  FieldSelector nothing = FieldSelector::Nothing();
  nothing.Add({"a", FieldOperator::kNotEquals, "b"});
  EXPECT_FALSE(nothing.Matches(Fields{}));
  EXPECT_TRUE(nothing.SelectsNothing());
  EXPECT_EQ(nothing.ToString(), "");
  EXPECT_NE(nothing, FieldSelector::Everything());
}

}  // namespace
}  // namespace flyball::api

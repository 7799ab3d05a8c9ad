#include "flyball/sandbox/apply/fields_v1.h"

#include "flyball/base/small_stack.h"
#include "gtest/gtest.h"

namespace flyball::sandbox::apply {
namespace {

TEST(FieldsV1, WritesWhatItReads) {
  constexpr std::string_view kText =
      R"({"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:ports":{)"
      R"("k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{}},)"
      R"("k:{\"port\":443,\"protocol\":\"TCP\"}":{}},"f:set":{"v:1":{},"v:\"a\"":{}},"f:list":{"i:0":{}}}})";
  const Result<ReadFields> read = ReadFieldsV1(kText);
  ASSERT_TRUE(read) << read.error().Describe();
  // "f:list" stands after "f:set", which upstream would not write.
  EXPECT_FALSE(read->canonical);
  const std::string written = WriteFieldsV1(read->fields);
  const Result<ReadFields> again = ReadFieldsV1(written);
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->canonical);
  EXPECT_EQ(again->fields, read->fields);
  EXPECT_EQ(WriteFieldsV1(again->fields), written);
}

TEST(FieldsV1, NumbersInKeysAreInTheirOrderAndNotInThatOfTheirDigits) {
  const Result<ReadFields> read = ReadFieldsV1(R"({"v:443":{},"v:80":{}})");
  ASSERT_TRUE(read);
  EXPECT_EQ(WriteFieldsV1(read->fields), R"({"v:80":{},"v:443":{}})");
}

TEST(FieldsV1, StepsOfAnUnknownKindAreDropped) {
  const Result<ReadFields> read = ReadFieldsV1(R"({"f:a":{},"z:new":{"f:b":{}}})");
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->canonical);
  EXPECT_EQ(WriteFieldsV1(read->fields), R"({"f:a":{}})");
}

TEST(FieldsV1, RefusesWhatIsNoSet) {
  for (const std::string_view text :
       {"", "[]", "{", "{\"f:a\"}", "{\"f:a\":1}", "{\"a\":{}}", "{\"i:x\":{}}", "{\"k:1\":{}}",
        "{\"v:\":{}}", "{} x", "{\"f:a\":{},}", "{\"f:\\q\":{}}"}) {
    EXPECT_FALSE(ReadFieldsV1(text)) << text;
  }
}

TEST(FieldsV1, RefusesWhatIsTooDeep) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "{\"f:a\":";
  const Result<ReadFields> read = ReadFieldsV1(text);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code(), ErrorCode::kMalformed);
}

TEST(FieldsV1, DeepestFieldsNeedLittleStack) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += R"({"f:a":)";
  text += "{}" + std::string(200, '}');
  RunOnSmallStack([&] {
    const Result<ReadFields> read = ReadFieldsV1(text);
    ASSERT_TRUE(read) << read.error().Describe();
    EXPECT_EQ(WriteFieldsV1(read->fields), text);
    const FieldSet copy = read->fields;
    EXPECT_EQ(copy, read->fields);
  });
}

TEST(FieldSet, AListOfPathsNamesEachLevelBeforeWhatIsBelow) {
  const Result<ReadFields> read = ReadFieldsV1(
      R"({"f:a":{".":{},"k:{\"name\":\"x\",\"port\":1}":{"f:c":{}}},"f:b":{},"v:\"s\"":{},"i:3":{}})");
  ASSERT_TRUE(read);
  std::string paths;
  read->fields.ForEach([&](const Path& path) { paths += ToString(path) + "\n"; });
  EXPECT_EQ(paths, ".a\n.b\n[=\"s\"]\n[3]\n.a[name=\"x\",port=1].c\n");
  EXPECT_EQ(read->fields.Size(), 5);
}

TEST(FieldSet, RemovingAPathLeavesThoseBelowItAndRemovingATreeDoesNot) {
  const FieldSet all = ReadFieldsV1(R"({"f:a":{".":{},"f:b":{}},"f:c":{}})").value().fields;
  const FieldSet gone = ReadFieldsV1(R"({"f:a":{}})").value().fields;
  FieldSet left = all;
  EXPECT_TRUE(left.Remove(gone));
  EXPECT_FALSE(left.Remove(gone));
  EXPECT_EQ(WriteFieldsV1(left), R"({"f:a":{"f:b":{}},"f:c":{}})");
  left = all;
  left.RemoveTrees(gone);
  EXPECT_EQ(WriteFieldsV1(left), R"({"f:c":{}})");
}

}  // namespace
}  // namespace flyball::sandbox::apply

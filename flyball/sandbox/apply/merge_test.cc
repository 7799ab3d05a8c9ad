#include "flyball/sandbox/apply/merge.h"

#include "flyball/api/core/v1.h"
#include "flyball/sandbox/apply/comparison.h"
#include "flyball/sandbox/apply/fields_v1.h"
#include "flyball/sandbox/apply/object_fields.h"
#include "gtest/gtest.h"

namespace flyball::sandbox::apply {
namespace {

Json Parse(std::string_view text) { return Json::Parse(text).value(); }

class PodSchema : public testing::Test {
 protected:
  std::string Merged(std::string_view live, std::string_view applied) const {
    return Merge(schema_, Parse(live), Parse(applied)).value().ToString();
  }
  const TypeSchema schema_ = TypeSchema::OfType(core::v1::Pod::kType);
};

TEST_F(PodSchema, MergesItemsByTheirKeysInTheAppliedOrder) {
  EXPECT_EQ(
      Merged(R"({"spec":{"containers":[{"name":"a","image":"1"},{"name":"x"},{"name":"b"}]}})",
             R"({"spec":{"containers":[{"name":"b","image":"2"},{"name":"a","tty":true}]}})"),
      R"({"spec":{"containers":[{"name":"x"},{"image":"2","name":"b"},)"
      R"({"image":"1","name":"a","tty":true}]}})");
}

TEST_F(PodSchema, ReplacesWhatIsAtomic) {
  EXPECT_EQ(Merged(R"({"spec":{"nodeSelector":{"a":"1"},"tolerations":[{"key":"a"}]}})",
                   R"({"spec":{"nodeSelector":{"b":"1"},"tolerations":[{"key":"b"}]}})"),
            R"({"spec":{"nodeSelector":{"b":"1"},"tolerations":[{"key":"b"}]}})");
}

TEST_F(PodSchema, RefusesAnItemThatIsAppliedTwice) {
  EXPECT_FALSE(
      Merge(schema_, Parse("{}"), Parse(R"({"spec":{"containers":[{"name":"a"},{"name":"a"}]}})")));
}

TEST_F(PodSchema, RemovesItemsAndFields) {
  const FieldSet gone = ReadFieldsV1(R"({"f:spec":{"f:containers":{"k:{\"name\":\"a\"}":{},)"
                                     R"("k:{\"name\":\"b\"}":{"f:image":{}}},"f:nodeName":{}}})")
                            .value()
                            .fields;
  EXPECT_EQ(RemoveFields(schema_,
                         Parse(R"({"spec":{"nodeName":"n","containers":[{"name":"a"},)"
                               R"({"name":"b","image":"1"}]}})"),
                         gone)
                .ToString(),
            R"({"spec":{"containers":[{"name":"b"}]}})");
}

TEST_F(PodSchema, ComparesItemsByTheirKeysWhateverTheirOrder) {
  const Comparison changed =
      Compare(
          schema_,
          Parse(
              R"({"spec":{"containers":[{"name":"a","image":"1"},{"name":"b"}],"nodeName":"n"}})"),
          Parse(R"({"spec":{"containers":[{"name":"c"},{"name":"a","image":"2"}]}})"))
          .value();
  EXPECT_EQ(WriteFieldsV1(changed.added),
            R"({"f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:name":{}}}}})");
  EXPECT_EQ(WriteFieldsV1(changed.modified),
            R"({"f:spec":{"f:containers":{"k:{\"name\":\"a\"}":{"f:image":{}}}}})");
  EXPECT_EQ(
      WriteFieldsV1(changed.removed),
      R"({"f:spec":{"f:containers":{"k:{\"name\":\"b\"}":{".":{},"f:name":{}}},"f:nodeName":{}}})");
}

TEST_F(PodSchema, APartThatHasBecomeAtomicIsOwnedWhole) {
  FieldSet fields = ReadFieldsV1(R"({"f:spec":{"f:nodeSelector":{"f:a":{}}}})").value().fields;
  EXPECT_TRUE(FollowSchema(fields, schema_));
  EXPECT_EQ(WriteFieldsV1(fields), R"({"f:spec":{"f:nodeSelector":{}}})");
  EXPECT_FALSE(FollowSchema(fields, schema_));
}

}  // namespace
}  // namespace flyball::sandbox::apply

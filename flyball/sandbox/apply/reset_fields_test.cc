#include "flyball/sandbox/apply/reset_fields.h"

#include "flyball/api/apps/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/sandbox/apply/fields_v1.h"
#include "gtest/gtest.h"

namespace flyball::sandbox::apply {
namespace {

std::string Left(const FieldFilter& filter, std::string_view text) {
  FieldSet fields = ReadFieldsV1(text).value().fields;
  filter.Apply(fields);
  return WriteFieldsV1(fields);
}

constexpr std::string_view kAll =
    R"({"f:metadata":{"f:labels":{"f:a":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"a\"}":)"
    R"({".":{},"f:image":{},"f:resources":{"f:limits":{}}}}},"f:status":{"f:phase":{}}})";

TEST(OwnableFields, AResourceDoesNotOwnItsStatusNorTheStatusItsSpec) {
  EXPECT_EQ(
      Left(OwnableFields(apps::v1::Deployment::kType, ""), kAll),
      R"({"f:metadata":{"f:labels":{"f:a":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"a\"}":)"
      R"({".":{},"f:image":{},"f:resources":{"f:limits":{}}}}}})");
  EXPECT_EQ(Left(OwnableFields(apps::v1::Deployment::kType, "status"), kAll),
            R"({"f:status":{"f:phase":{}}})");
  EXPECT_EQ(Left(OwnableFields(core::v1::Pod::kType, "status"), kAll),
            R"({"f:metadata":{"f:labels":{"f:a":{}}},"f:status":{"f:phase":{}}})");
}

TEST(OwnableFields, AKindWithoutAStatusSubresourceOwnsAll) {
  EXPECT_EQ(Left(OwnableFields(core::v1::ConfigMap::kType, ""), kAll), kAll);
}

TEST(OwnableFields, AResizeOwnsResourcesAndTheStepsToThem) {
  EXPECT_EQ(
      Left(OwnableFields(core::v1::Pod::kType, "resize"), kAll),
      R"({"f:spec":{"f:containers":{"k:{\"name\":\"a\"}":{".":{},"f:resources":{"f:limits":{}}}}}})");
}

TEST(OwnableFields, ACustomKindHasAStatusOfItsOwnOnlyWithTheSubresource) {
  EXPECT_EQ(Left(OwnableFieldsOfCustomKind(false, ""), kAll), kAll);
  EXPECT_EQ(Left(OwnableFieldsOfCustomKind(true, "status"), kAll),
            R"({"f:status":{"f:phase":{}}})");
}

}  // namespace
}  // namespace flyball::sandbox::apply

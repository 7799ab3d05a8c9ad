#include "flyball/api/equality.h"

#include "flyball/api/apps/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/api/json_decode.h"
#include "gtest/gtest.h"

namespace flyball::api {
namespace {

using core::v1::Pod;

Pod Decode(std::string_view json) {
  const auto pod = DecodeJson<Pod>(json);
  if (!pod) ADD_FAILURE() << pod.error().Describe();
  return pod.value_or(Pod());
}

TEST(SemanticEqual, TakesQuantitiesByValueAndMomentsByInstant) {
  const Pod a = Decode(
      R"({"metadata":{"creationTimestamp":"2024-01-01T01:00:00+01:00"},
          "spec":{"overhead":{"cpu":"1000m","memory":"1Ki"}}})");
  const Pod b = Decode(
      R"({"metadata":{"creationTimestamp":"2024-01-01T00:00:00Z"},
          "spec":{"overhead":{"cpu":"1","memory":"1024"}}})");
  EXPECT_TRUE(SemanticEqual(a, b));
}

TEST(SemanticEqual, TakesEmptyListsAndMapsAsAbsentOnes) {
  EXPECT_TRUE(SemanticEqual(Decode(R"({"metadata":{"labels":{}},"spec":{"containers":[]}})"),
                            Decode(R"({})")));
}

TEST(SemanticEqual, TellsAnOptionalZeroFromNone) {
  EXPECT_FALSE(SemanticEqual(Decode(R"({"spec":{"priority":0}})"), Decode(R"({})")));
  EXPECT_FALSE(SemanticEqual(Decode(R"({"spec":{"securityContext":{}}})"), Decode(R"({})")));
}

TEST(SemanticEqual, TellsListsByOrderAndMapsByEveryEntry) {
  EXPECT_FALSE(SemanticEqual(Decode(R"({"metadata":{"finalizers":["a","b"]}})"),
                             Decode(R"({"metadata":{"finalizers":["b","a"]}})")));
  EXPECT_FALSE(SemanticEqual(Decode(R"({"metadata":{"labels":{"a":"1","b":"2"}}})"),
                             Decode(R"({"metadata":{"labels":{"a":"1","c":"2"}}})")));
}

TEST(SemanticEqual, DoesNotCountMembersThatTheSchemaDoesNotName) {
  const Pod newer = Decode(R"({"spec":{"novelty":1}})");
  EXPECT_TRUE(SemanticEqual(newer, Decode(R"({"spec":{}})")));
  EXPECT_NE(newer, Decode(R"({"spec":{}})"));
}

}  // namespace
}  // namespace flyball::api

#include "flyball/api/json_decode.h"

#include <string>

#include "flyball/api/apiextensions/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/api/json_encode.h"
#include "flyball/api/resource/v1.h"
#include "gtest/gtest.h"

namespace flyball::api {
namespace {

using apiextensions::v1::JSONSchemaProps;
using core::v1::Pod;

/// The error that a text gives, as "path: message".
template <typename T = Pod>
std::string ErrorOf(std::string_view text) {
  const auto decoded = DecodeJson<T>(text);
  if (decoded) return "no error";
  EXPECT_EQ(decoded.error().code(), ErrorCode::kMalformed);
  return decoded.error().path() + ": " + decoded.error().message();
}

TEST(JsonDecode, NamesThePathOfAValueOfTheWrongType) {
  EXPECT_EQ(ErrorOf(R"({"spec":{"containers":[{},{"ports":[{"containerPort":"80"}]}]}})"),
            "spec.containers[1].ports[0].containerPort: a string where an integer belongs");
  EXPECT_EQ(ErrorOf(R"({"metadata":{"name":7}})"),
            "metadata.name: a number where a string belongs");
  EXPECT_EQ(ErrorOf(R"({"metadata":{"name":true}})"),
            "metadata.name: a boolean where a string belongs");
  EXPECT_EQ(ErrorOf(R"({"metadata":{"name":[]}})"),
            "metadata.name: an array where a string belongs");
  EXPECT_EQ(ErrorOf(R"({"metadata":[]})"), "metadata: an array where an object belongs");
  EXPECT_EQ(ErrorOf(R"({"spec":{"hostNetwork":"true"}})"),
            "spec.hostNetwork: a string where a boolean belongs");
  EXPECT_EQ(ErrorOf(R"({"spec":{"containers":{}}})"),
            "spec.containers: an object where an array belongs");
  EXPECT_EQ(ErrorOf(R"({"spec":{"containers":7}})"),
            "spec.containers: a number where an array belongs");
  EXPECT_EQ(ErrorOf(R"({"spec":{"containers":[7]}})"),
            "spec.containers[0]: a number where an object belongs");
  EXPECT_EQ(ErrorOf(R"({"metadata":{"labels":[]}})"),
            "metadata.labels: an array where an object belongs");
  EXPECT_EQ(ErrorOf(R"({"metadata":{"labels":{"app":7}}})"),
            "metadata.labels[app]: a number where a string belongs");
  EXPECT_EQ(ErrorOf("[]"), ": an array where an object belongs");
  EXPECT_EQ(ErrorOf("null"), ": null where an object belongs");
}

TEST(JsonDecode, NamesThePathOfALeafThatDoesNotParse) {
  EXPECT_EQ(ErrorOf(R"({"metadata":{"creationTimestamp":"yesterday"}})").substr(0, 28),
            "metadata.creationTimestamp: ");
  EXPECT_EQ(
      ErrorOf(R"({"spec":{"containers":[{"resources":{"limits":{"cpu":"1x"}}}]}})"),
      "spec.containers[0].resources.limits[cpu]: not a quantity: a number and a suffix are wanted");
  EXPECT_EQ(ErrorOf<core::v1::Secret>(R"({"data":{"k":"*"}})").substr(0, 9), "data[k]: ");
  EXPECT_EQ(ErrorOf(R"({"spec":{"containers":[{"livenessProbe":{"httpGet":{"port":true}}}]}})"),
            "spec.containers[0].livenessProbe.httpGet.port: a boolean where an integer or a string "
            "belongs");
}

TEST(JsonDecode, IntegersHaveToBeIntegersAndInRange) {
  EXPECT_EQ(ErrorOf(R"({"spec":{"priority":2147483648}})"),
            "spec.priority: 2147483648 is out of the range of int32");
  EXPECT_EQ(ErrorOf(R"({"metadata":{"generation":9223372036854775808}})"),
            "metadata.generation: 9223372036854775808 is out of the range of int64");
  EXPECT_EQ(ErrorOf(R"({"metadata":{"generation":1.0}})"),
            "metadata.generation: 1.0 is not an integer");
  EXPECT_EQ(ErrorOf(R"({"metadata":{"generation":1e3}})"),
            "metadata.generation: 1e3 is not an integer");
  EXPECT_EQ(DecodeJson<Pod>(R"({"spec":{"priority":-2147483648}})")->spec.priority, -2147483648);
}

TEST(JsonDecode, AFloatTooLargeIsAnErrorAndNotZero) {
  EXPECT_EQ(ErrorOf<JSONSchemaProps>(R"({"maximum":1e400})"),
            "maximum: 1e400 is out of the range of float64");
  EXPECT_EQ(DecodeJson<JSONSchemaProps>(R"({"maximum":1e-400})")->maximum, 0);
}

TEST(JsonDecode, TextThatIsNotJsonNamesTheByteAndWhereInTheObjectItIs) {
  EXPECT_EQ(ErrorOf(R"({"metadata":{"name":"a)"),
            "metadata.name: JSON, at byte 22: incomplete JSON");
  EXPECT_EQ(ErrorOf("{\"metadata\":{\"name\":\"\xff\"}}"),
            "metadata.name: JSON, at byte 21: syntax error");
  EXPECT_EQ(ErrorOf("{} {}"), ": JSON, at byte 3: extra data");
}

TEST(JsonDecode, NestsAHundredLevelsAndNoDeeper) {
  const auto nested = [](int depth) {
    std::string text = "{}";
    for (int i = 1; i < depth; ++i) text = "{\"not\":" + text + "}";
    return text;
  };
  EXPECT_TRUE(DecodeJson<JSONSchemaProps>(nested(100)).has_value());
  std::string path = "not";
  for (int i = 1; i < 100; ++i) path += ".not";
  const auto deep = DecodeJson<JSONSchemaProps>(nested(101));
  ASSERT_FALSE(deep.has_value());
  EXPECT_EQ(deep.error().path(), path);
  EXPECT_TRUE(deep.error().message().ends_with("too deep")) << deep.error().message();
  // What is kept as text counts with what is around it.
  const std::string arrays = std::string(100, '[') + std::string(100, ']');
  EXPECT_FALSE(DecodeJson<JSONSchemaProps>("{\"default\":" + arrays + "}").has_value());
}

TEST(JsonDecode, NullStandsForAbsent) {
  const auto pod = DecodeJson<Pod>(
      R"({"metadata":{"name":null,"labels":null,"finalizers":null,"deletionTimestamp":null},
          "spec":{"containers":[null],"nodeSelector":{"a":null},"securityContext":null}})");
  ASSERT_TRUE(pod.has_value());
  Pod wanted;
  wanted.spec.containers.resize(1);
  wanted.spec.nodeSelector["a"] = "";
  EXPECT_EQ(*pod, wanted);
}

TEST(JsonDecode, OfARepeatedMapKeyTheLastValueCountsAllOfIt) {
  const auto device = DecodeJson<JSONSchemaProps>(
      R"({"properties":{"a":{"type":"object","title":"first"},"a":{"type":"string"}}})");
  ASSERT_TRUE(device.has_value());
  JSONSchemaProps wanted;
  wanted.properties["a"].type = "string";
  EXPECT_EQ(*device, wanted);
}

TEST(JsonDecode, NamesAreCaseSensitive) {
  const auto pod = DecodeJson<Pod>(R"({"metadata":{"Name":"a"}})");
  ASSERT_TRUE(pod.has_value());
  EXPECT_EQ(pod->metadata.name, "");
  ASSERT_EQ(pod->metadata.unknown_fields.json().size(), 1U);
}

TEST(JsonDecode, AUnionTakesTheFormOfTheValue) {
  const auto schema = DecodeJson<JSONSchemaProps>(
      R"({"items":[{"type":"a"},{"type":"b"}],"additionalProperties":{"type":"c"},
          "additionalItems":false})");
  ASSERT_TRUE(schema.has_value());
  EXPECT_EQ(schema->items->jSONSchemas.size(), 2U);
  EXPECT_TRUE(schema->additionalProperties->allows);
  EXPECT_EQ(schema->additionalProperties->schema->type, "c");
  EXPECT_FALSE(schema->additionalItems->allows);
  EXPECT_EQ(ErrorOf<JSONSchemaProps>(R"({"items":7})"), "items: a number where an object belongs");
  EXPECT_EQ(ErrorOf<JSONSchemaProps>(R"({"additionalItems":[]})"),
            "additionalItems: an array where another form belongs");
}

TEST(JsonEncode, ARawPartThatIsNotJsonIsAnErrorWithItsPath) {
  Pod pod;
  pod.metadata.managedFields.resize(2);
  pod.metadata.managedFields[1].fieldsV1 = RawJson{"{"};
  const auto text = EncodeJson(pod);
  ASSERT_FALSE(text.has_value());
  EXPECT_EQ(text.error().path(), "metadata.managedFields[1].fieldsV1");
}

}  // namespace
}  // namespace flyball::api

#include "flyball/api/object.h"

#include <string>

#include "flyball/api/apps/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/api/envelope.h"
#include "flyball/api/meta/v1.h"
#include "gtest/gtest.h"

namespace flyball::api {
namespace {

using namespace std::string_view_literals;

Error ErrorOf(std::string_view bytes, Format format) {
  const auto decoded = DecodeObject(bytes, format);
  return decoded ? Error(ErrorCode::kInternal, "no error") : decoded.error();
}

TEST(Format, IsParsedAndDetected) {
  EXPECT_EQ(ParseFormat("json"), Format::kJson);
  EXPECT_EQ(ParseFormat("yaml"), Format::kYaml);
  EXPECT_EQ(ParseFormat("protobuf"), Format::kProtobuf);
  EXPECT_EQ(ParseFormat("JSON"), std::nullopt);
  EXPECT_EQ(DetectFormat(" \n{\"a\":1}"), Format::kJson);
  EXPECT_EQ(DetectFormat("kind: Pod"), Format::kYaml);
  EXPECT_EQ(DetectFormat(""), Format::kYaml);
  EXPECT_EQ(DetectFormat(SealEnvelope("v1", "Pod", "")), Format::kProtobuf);
}

TEST(DecodeObject, TheBytesSayWhichKind) {
  const auto pod =
      DecodeObject(R"({"metadata":{"name":"a"},"kind":"Pod","apiVersion":"v1"})", Format::kJson);
  ASSERT_TRUE(pod.has_value());
  ASSERT_NE(pod->As<core::v1::Pod>(), nullptr);
  EXPECT_EQ(pod->As<core::v1::Pod>()->metadata.name, "a");
  EXPECT_EQ(pod->As<core::v1::Node>(), nullptr);
  const auto deployment =
      DecodeObject("apiVersion: apps/v1\nkind: Deployment\nspec: {replicas: 3}\n", Format::kYaml);
  ASSERT_TRUE(deployment.has_value());
  EXPECT_EQ(deployment->As<apps::v1::Deployment>()->spec.replicas, 3);
}

TEST(DecodeObject, AKindThatIsNotThereIsUnsupportedAndOneNotNamedMalformed) {
  EXPECT_EQ(ErrorOf(R"({"kind":"Pot","apiVersion":"v1"})", Format::kJson),
            Error(ErrorCode::kUnsupported, "there is no kind Pot in v1"));
  EXPECT_EQ(ErrorOf("kind: Pod\napiVersion: apps/v1\n", Format::kYaml),
            Error(ErrorCode::kUnsupported, "there is no kind Pod in apps/v1"));
  EXPECT_EQ(ErrorOf(R"({"kind":"Pod"})", Format::kJson),
            Error(ErrorCode::kMalformed, "apiVersion", "not given"));
  EXPECT_EQ(ErrorOf(R"({"apiVersion":"v1"})", Format::kJson),
            Error(ErrorCode::kMalformed, "kind", "not given"));
  EXPECT_EQ(ErrorOf("{}", Format::kJson), Error(ErrorCode::kMalformed, "apiVersion", "not given"));
  EXPECT_EQ(ErrorOf(SealEnvelope("v1", "Pot", ""), Format::kProtobuf),
            Error(ErrorCode::kUnsupported, "there is no kind Pot in v1"));
}

TEST(DecodeObject, ARefusalQuotesBytesThatAreNoTextAsText) {
  EXPECT_EQ(ErrorOf(SealEnvelope("v\xff", "P\x80t", ""), Format::kProtobuf),
            Error(ErrorCode::kUnsupported, "there is no kind P\ufffdt in v\ufffd"));
}

TEST(DecodeObject, ErrorsNameTheSamePathInEveryFormat) {
  EXPECT_EQ(
      ErrorOf(R"({"kind":"Pod","apiVersion":"v1","spec":{"containers":[{},{"name":1}]}})",
              Format::kJson),
      Error(ErrorCode::kMalformed, "spec.containers[1].name", "a number where a string belongs"));
  EXPECT_EQ(
      ErrorOf("kind: Pod\napiVersion: v1\nspec:\n  containers:\n  - {}\n  - name: 1\n",
              Format::kYaml),
      Error(ErrorCode::kMalformed, "spec.containers[1].name", "a number where a string belongs"));
  EXPECT_EQ(
      ErrorOf(SealEnvelope("v1", "Pod", "\x12\x06\x12\x00\x12\x02\x08\x01"sv), Format::kProtobuf),
      Error(ErrorCode::kMalformed, "spec.containers[1].name", "wire type 0 where 2 belongs"));
}

TEST(DecodeObject, OnlyTheTypeOfTheOutermostObjectCounts) {
  const auto list = DecodeObject(
      R"({"items":[{"kind":"Node","apiVersion":"v2"}],"kind":"PodList","apiVersion":"v1"})",
      Format::kJson);
  ASSERT_TRUE(list.has_value()) << list.error().Describe();
  EXPECT_EQ(list->type().name, "PodList");
}

TEST(DecodeObject, AWatchEventNeedsNoKind) {
  const auto event =
      DecodeObject(R"({"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1"}})", Format::kJson);
  ASSERT_TRUE(event.has_value());
  ASSERT_NE(event->As<meta::v1::WatchEvent>(), nullptr);
  EXPECT_EQ(event->As<meta::v1::WatchEvent>()->object.raw, R"({"kind":"Pod","apiVersion":"v1"})");
}

TEST(DecodeObject, ProtobufTakesItsTypeFromTheEnvelope) {
  AnyObject pod(core::v1::Pod::kType);
  const std::string bytes = *EncodeObject(pod, Format::kProtobuf);
  const auto read = DecodeObject(bytes, Format::kProtobuf);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->As<core::v1::Pod>()->kind, "Pod");
  EXPECT_EQ(read->As<core::v1::Pod>()->apiVersion, "v1");
}

TEST(DecodeObject, AnEnvelopeAroundSomethingElseIsUnsupported) {
  std::string bytes = SealEnvelope("v1", "Pod", "");
  bytes.resize(bytes.size() - 2);  // the empty content type
  bytes.append(
      "\x22\x10"
      "application/json");
  EXPECT_EQ(ErrorOf(bytes, Format::kProtobuf),
            Error(ErrorCode::kUnsupported, "the envelope holds application/json"));
}

TEST(EncodeObject, WritesAllFormats) {
  const auto map = DecodeObject(
      R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{"k":"1"}})",
      Format::kJson);
  ASSERT_TRUE(map.has_value());
  EXPECT_EQ(*EncodeObject(*map, Format::kJson),
            "{\n  \"kind\": \"ConfigMap\",\n  \"apiVersion\": \"v1\",\n  \"metadata\": {\n"
            "    \"name\": \"a\"\n  },\n  \"data\": {\n    \"k\": \"1\"\n  }\n}\n");
  EXPECT_EQ(*EncodeObject(*map, Format::kYaml),
            "apiVersion: v1\ndata:\n  k: \"1\"\nkind: ConfigMap\nmetadata:\n  name: a\n");
  EXPECT_TRUE(EncodeObject(*map, Format::kProtobuf)->starts_with(kProtobufMagic));
}

}  // namespace
}  // namespace flyball::api

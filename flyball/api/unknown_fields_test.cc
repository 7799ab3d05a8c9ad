#include "flyball/api/unknown_fields.h"

#include <protozero/pbf_writer.hpp>
#include <string>

#include "flyball/api/apiextensions/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/api/json_decode.h"
#include "flyball/api/json_encode.h"
#include "flyball/api/object.h"
#include "flyball/api/protobuf_decode.h"
#include "flyball/api/protobuf_encode.h"
#include "gtest/gtest.h"

namespace flyball::api {
namespace {

using apiextensions::v1::JSONSchemaProps;
using core::v1::Pod;

std::string Field(std::uint32_t number, std::string_view bytes) {
  std::string field;
  protozero::pbf_writer(field).add_bytes(number, bytes.data(), bytes.size());
  return field;
}

/// One field of each wire type that no table names.
std::string Strange(std::uint32_t number) {
  std::string fields;
  protozero::pbf_writer writer(fields);
  writer.add_int64(number, -7);
  writer.add_fixed64(number + 1, 8);
  writer.add_fixed32(number + 2, 9);
  writer.add_bytes(number + 3, "\xff\0", 2);
  writer.add_int64(number, 10);
  return fields;
}

TEST(UnknownFields, JsonMembersComeBackByteForByteFromEveryLevel) {
  const std::string pod =
      R"({"kind":"Pod","apiVersion":"v1",)"
      R"("metadata":{"name":"a","managedFields":[{"time":"2020-01-01T00:00:00Z","newer":1}],)"
      R"("newList":[1,{"b":2,"a":[null]},"\u003c\u2028"]},)"
      R"("spec":{"volumes":[{"name":"v","emptyDir":{"newSize":1.0}},)"
      R"({"name":"w","newSource":{"x":{}}}],)"
      R"("containers":[{"name":"c","resources":{},"newNumber":12345678901234567890},)"
      R"({"name":"d","resources":{"newClaims":[]}}],"newFlag":true},)"
      R"("status":{"newText":"t"},"newer":null})";
  const auto read = DecodeJson<Pod>(pod);
  ASSERT_TRUE(read.has_value()) << read.error().Describe();
  EXPECT_EQ(*EncodeJson(*read), pod);
  EXPECT_EQ(read->spec.volumes[1].unknown_fields.json()[0],
            (UnknownFields::JsonMember{"newSource", R"({"x":{}})"}));

  const std::string schema =
      R"({"items":{"type":"a","newA":1},"properties":{"p":{"type":"b","newB":{"c":[]}}}})";
  EXPECT_EQ(*EncodeJson(*DecodeJson<JSONSchemaProps>(schema)), schema);
}

TEST(UnknownFields, ProtobufFieldsComeBackByteForByteFromEveryLevel) {
  const Pod known = [] {
    Pod pod;
    pod.metadata.name = "a";
    return pod;
  }();
  const std::string metadata = *EncodeProtobuf(known.metadata) + Strange(900);
  const std::string empty_dir = Field(1, "") + Strange(700);
  const std::string source = Field(2, empty_dir) + Strange(800);  // VolumeSource, inlined in JSON
  const std::string volume = Field(1, "v") + Field(2, source) + Strange(1000);
  core::v1::Container container;
  container.name = "c";
  const std::string containers =
      Field(2, *EncodeProtobuf(container) + Strange(100)) + Field(2, *EncodeProtobuf(container));
  core::v1::PodSpec spec;
  const std::string bytes =
      Field(1, metadata) +
      Field(2, Field(1, volume) + containers + *EncodeProtobuf(spec) + Strange(200)) +
      Field(3, *EncodeProtobuf(known.status) + Strange(300)) + Strange(400);
  const auto read = DecodeProtobuf<Pod>(bytes);
  ASSERT_TRUE(read.has_value()) << read.error().Describe();
  const std::string written = *EncodeProtobuf(*read);
  EXPECT_EQ(written, bytes);
  EXPECT_EQ(read->spec.volumes[0].emptyDir->unknown_fields.protobuf(), Strange(700));
  EXPECT_EQ(
      static_cast<const core::v1::VolumeSource&>(read->spec.volumes[0]).unknown_fields.protobuf(),
      Strange(800));

  JSONSchemaProps inner;
  inner.type = "string";
  const std::string entry = Field(1, "p") + Field(2, *EncodeProtobuf(inner) + Strange(500));
  JSONSchemaProps outer;
  outer.properties["p"] = inner;
  outer.properties["p"].unknown_fields.AddProtobuf(Strange(500));
  const std::string schema = *EncodeProtobuf(outer);
  EXPECT_NE(schema.find(entry), std::string::npos);
  EXPECT_EQ(*EncodeProtobuf(*DecodeProtobuf<JSONSchemaProps>(schema)), schema);
}

TEST(UnknownFields, WhatTheOtherFormatCannotCarryIsNamed) {
  const auto object = DecodeObject(
      R"({"kind":"Pod","apiVersion":"v1","metadata":{"x":1},"spec":{"containers":[{"y":2}],)"
      R"("volumes":[{"emptyDir":{"z":3}}]},"w":4})",
      Format::kJson);
  ASSERT_TRUE(object.has_value());
  EXPECT_EQ(FieldsLostIn(*object, Format::kProtobuf),
            (std::vector<std::string>{"w", "metadata.x", "spec.volumes[0].emptyDir.z",
                                      "spec.containers[0].y"}));
  EXPECT_TRUE(FieldsLostIn(*object, Format::kJson).empty());

  AnyObject from_protobuf(Pod::kType);
  ASSERT_TRUE(DecodeProtobuf(Field(1, Field(900, "x")), Pod::kType, from_protobuf.get()));
  EXPECT_EQ(FieldsLostIn(from_protobuf, Format::kYaml),
            (std::vector<std::string>{"metadata.<4 bytes of unknown protobuf fields>"}));
  EXPECT_TRUE(FieldsLostIn(from_protobuf, Format::kProtobuf).empty());
}

TEST(UnknownFields, CopiesAreDeepAndMovesLeaveNothing) {
  UnknownFields fields;
  EXPECT_TRUE(fields.empty());
  fields.AddJson("a", "1");
  fields.AddProtobuf("x");
  UnknownFields copy = fields;
  EXPECT_EQ(copy, fields);
  copy.AddProtobuf("y");
  EXPECT_FALSE(copy == fields);
  EXPECT_EQ(fields.protobuf(), "x");
  const UnknownFields moved = std::move(copy);
  EXPECT_EQ(moved.protobuf(), "xy");
}

}  // namespace
}  // namespace flyball::api

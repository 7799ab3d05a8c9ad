#include "flyball/api/protobuf_decode.h"

#include <initializer_list>
#include <protozero/pbf_writer.hpp>
#include <ranges>
#include <string>
#include <vector>

#include "flyball/api/apiextensions/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/api/meta/v1.h"
#include "flyball/api/protobuf_encode.h"
#include "gtest/gtest.h"

namespace flyball::api {
namespace {

using apiextensions::v1::JSONSchemaProps;
using core::v1::Pod;

// Field numbers on the way to what the tests break.
constexpr std::uint32_t kMetadata = 1, kSpec = 2;                   // Pod
constexpr std::uint32_t kName = 1, kLabels = 11, kFinalizers = 14;  // ObjectMeta
constexpr std::uint32_t kGeneration = 7, kCreated = 8;
constexpr std::uint32_t kVolumes = 1, kContainers = 2;  // PodSpec
constexpr std::uint32_t kPorts = 6, kResources = 8;     // Container
constexpr std::uint32_t kContainerPort = 3;             // ContainerPort
constexpr std::uint32_t kNot = 28, kProperties = 29;    // JSONSchemaProps

/// `inner` as the message at the end of a way of fields.
std::string Nest(const std::vector<std::uint32_t>& numbers, std::string inner) {
  for (const std::uint32_t number : std::views::reverse(numbers)) {
    std::string outer;
    protozero::pbf_writer(outer).add_bytes(number, inner);
    inner = std::move(outer);
  }
  return inner;
}

std::string Varint(std::uint32_t number, std::int64_t value) {
  std::string bytes;
  protozero::pbf_writer(bytes).add_int64(number, value);
  return bytes;
}

std::string Text(std::uint32_t number, std::string_view text) {
  std::string bytes;
  protozero::pbf_writer(bytes).add_bytes(number, text.data(), text.size());
  return bytes;
}

/// The error that a message gives, as "path: message".
template <typename T = Pod>
std::string ErrorOf(std::string_view bytes) {
  const auto decoded = DecodeProtobuf<T>(bytes);
  if (decoded) return "no error";
  EXPECT_EQ(decoded.error().code(), ErrorCode::kMalformed);
  return decoded.error().path() + ": " + decoded.error().message();
}

TEST(ProtobufDecode, NamesThePathOfANumberOutOfRange) {
  const std::string good = Nest({kPorts}, Varint(kContainerPort, 80));
  const std::string bad = Nest({kPorts}, Varint(kContainerPort, 1LL << 31));
  const std::string spec = Nest({kContainers}, good) + Nest({kContainers}, bad);
  EXPECT_EQ(ErrorOf(Nest({kSpec}, spec)),
            "spec.containers[1].ports[0].containerPort: 2147483648 is out of the range of int32");
  EXPECT_EQ(ErrorOf(Nest({kSpec, kContainers, kPorts}, Varint(kContainerPort, -(1LL << 31) - 1))),
            "spec.containers[0].ports[0].containerPort: -2147483649 is out of the range of int32");
}

TEST(ProtobufDecode, NamesThePathOfAWrongWireType) {
  EXPECT_EQ(ErrorOf(Nest({kMetadata}, Varint(kName, 1))),
            "metadata.name: wire type 0 where 2 belongs");
  EXPECT_EQ(ErrorOf(Varint(kSpec, 1)), "spec: wire type 0 where 2 belongs");
  EXPECT_EQ(ErrorOf(Nest({kMetadata}, Text(kGeneration, "x"))),
            "metadata.generation: wire type 2 where 0 belongs");
  EXPECT_EQ(ErrorOf(Nest({kMetadata}, Varint(kFinalizers, 1))),
            "metadata.finalizers[0]: wire type 0 where 2 belongs");
  EXPECT_EQ(ErrorOf(Nest({kMetadata}, Varint(kLabels, 1))),
            "metadata.labels: wire type 0 where 2 belongs");
  EXPECT_EQ(ErrorOf(Nest({kMetadata, kLabels}, Text(1, "app") + Varint(2, 1))),
            "metadata.labels: wire type 0 where 2 belongs");
  EXPECT_EQ(ErrorOf(Nest({kMetadata, kCreated}, Text(1, "x"))),
            "metadata.creationTimestamp: wire type 2 where 0 belongs");
  EXPECT_EQ(ErrorOf<JSONSchemaProps>(Varint(9, 1)), "maximum: wire type 0 where 1 belongs");
}

TEST(ProtobufDecode, KeepsStringsThatAreNotUtf8AsKubeApiserverDoes) {
  const std::string bytes = Nest({kMetadata}, Text(kName, "\xff") + Text(kFinalizers, "\xc0\x80")) +
                            Nest({kMetadata, kLabels}, Text(1, "\xfe") + Text(2, "\xed\xa0\x80"));
  const auto pod = DecodeProtobuf<Pod>(bytes);
  ASSERT_TRUE(pod) << pod.error().Describe();
  EXPECT_EQ(pod->metadata.name, "\xff");
  EXPECT_EQ(pod->metadata.finalizers.front(), "\xc0\x80");
  EXPECT_EQ(*pod->metadata.labels.find("\xfe"), "\xed\xa0\x80");
  EXPECT_EQ(*DecodeProtobuf<Pod>(*EncodeProtobuf(*pod)), *pod);
}

TEST(ProtobufDecode, ErrorsAreUtf8WhereTheKeyOfAMapIsNot) {
  const std::string limits = Nest({1}, Text(1, "\xff") + Nest({2}, Text(1, "1x")));
  const std::string error = ErrorOf(Nest({kSpec, kContainers, kResources}, limits));
  EXPECT_TRUE(error.starts_with("spec.containers[0].resources.limits[\uFFFD]: ")) << error;
}

TEST(ProtobufDecode, NamesThePathOfAQuantityThatDoesNotParse) {
  const std::string limits = Nest({1}, Text(1, "cpu") + Nest({2}, Text(1, "1x")));
  const std::string error = ErrorOf(Nest({kSpec, kContainers, kResources}, limits));
  EXPECT_TRUE(error.starts_with("spec.containers[0].resources.limits[cpu]: ")) << error;
}

TEST(ProtobufDecode, EveryPrefixOfAMessageIsAnErrorOrAWholeMessage) {
  Pod pod;
  pod.metadata.name = "web-0";
  pod.metadata.labels["app"] = "web";
  pod.spec.containers.resize(2);
  pod.spec.containers[1].ports.resize(1);
  const std::string bytes = *EncodeProtobuf(pod);
  int whole = 0;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    if (DecodeProtobuf<Pod>(std::string_view(bytes).substr(0, size))) ++whole;
  }
  EXPECT_EQ(whole, 3);  // nothing, and cuts behind metadata and spec
  EXPECT_EQ(DecodeProtobuf<Pod>(bytes), pod);
}

TEST(ProtobufDecode, NamesThePathOfWhereTheBytesEnd) {
  const std::string cut = Nest({kMetadata}, Text(kName, "web").substr(0, 4));
  EXPECT_EQ(ErrorOf(cut), "metadata.name: protobuf: end of buffer exception");
  EXPECT_EQ(ErrorOf("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
            ": protobuf: varint too long exception");
  EXPECT_EQ(ErrorOf(std::string_view("\0", 1)), ": protobuf: invalid tag exception");
  EXPECT_EQ(ErrorOf("\x0f"), ": protobuf: unknown pbf field type exception");
  // A length of 2 GiB with nothing behind it takes no memory.
  EXPECT_EQ(ErrorOf("\x0a\xff\xff\xff\xff\x07"), "metadata: protobuf: end of buffer exception");
}

TEST(ProtobufDecode, NestsAHundredFieldsAndNoDeeper) {
  const auto nested = [](std::size_t depth) {
    return Nest(std::vector<std::uint32_t>(depth, kNot), "");
  };
  EXPECT_TRUE(DecodeProtobuf<JSONSchemaProps>(nested(100)).has_value());
  std::string path = "not";
  for (int i = 1; i < 100; ++i) path += ".not";
  EXPECT_EQ(ErrorOf<JSONSchemaProps>(nested(101)), path + ": nested deeper than 100 levels");
  EXPECT_FALSE(DecodeProtobuf<JSONSchemaProps>(nested(10000)).has_value());
}

TEST(ProtobufDecode, AMessageThatComesTwiceIsMerged) {
  const std::string twice = Nest({kMetadata}, Text(kName, "a")) + Nest({kMetadata}, Text(3, "ns"));
  const auto pod = DecodeProtobuf<Pod>(twice);
  ASSERT_TRUE(pod.has_value());
  EXPECT_EQ(pod->metadata.name, "a");
  EXPECT_EQ(pod->metadata.namespace_, "ns");
}

TEST(ProtobufDecode, OfARepeatedMapKeyTheLastValueCountsAllOfIt) {
  const auto entry = [](std::uint32_t number, std::string_view text) {
    return Nest({kProperties}, Text(1, "a") + Nest({2}, Text(number, text)));
  };
  const auto schema = DecodeProtobuf<JSONSchemaProps>(entry(7, "title") + entry(5, "string"));
  ASSERT_TRUE(schema.has_value());
  JSONSchemaProps wanted;
  wanted.properties["a"].type = "string";
  EXPECT_EQ(*schema, wanted);
}

TEST(ProtobufDecode, AMapEntryMayComeInAnyOrderAndInPart) {
  const auto labels = [](std::string_view entry) {
    return DecodeProtobuf<Pod>(Nest({kMetadata, kLabels}, std::string(entry)))->metadata.labels;
  };
  EXPECT_EQ(labels(Text(2, "v") + Text(1, "k")), (Map<std::string>{{"k", "v"}}));
  EXPECT_EQ(labels(Text(1, "k")), (Map<std::string>{{"k", ""}}));
  EXPECT_EQ(labels(Text(2, "v")), (Map<std::string>{{"", "v"}}));
}

TEST(ProtobufDecode, AnEmptyMessageIsThere) {
  const std::string bytes = Nest({kSpec, kVolumes, 2, 2}, "");  // an emptyDir
  const auto pod = DecodeProtobuf<Pod>(bytes);
  ASSERT_TRUE(pod.has_value());
  EXPECT_TRUE(pod->spec.volumes[0].emptyDir.has_value());
}

TEST(ProtobufEncode, AWrappedListThatIsEmptyIsNotWritten) {
  EXPECT_EQ(*EncodeProtobuf(meta::v1::APIResource()), Text(1, "") + Varint(2, 0) + Text(3, "") +
                                                          Text(6, "") + Text(8, "") + Text(9, "") +
                                                          Text(10, ""));
}

TEST(ProtobufEncode, ATypeThatProtobufCannotCarryIsUnsupported) {
  const auto bytes = EncodeProtobuf(meta::v1::Table());
  ASSERT_FALSE(bytes.has_value());
  EXPECT_EQ(bytes.error(), Error(ErrorCode::kUnsupported, "Table has no protobuf form"));
}

}  // namespace
}  // namespace flyball::api

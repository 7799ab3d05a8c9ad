#include "flyball/api/list_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/api/envelope.h"
#include "flyball/api/json_decode.h"
#include "flyball/api/list.h"
#include "flyball/api/protobuf_decode.h"
#include "flyball/api/protobuf_encode.h"

namespace flyball::api {
namespace {

using core::v1::ConfigMap;

struct Whole {
  std::vector<std::string> names;
  std::string resource_version;
  friend bool operator==(const Whole&, const Whole&) = default;
};

/// Reads a list that comes in pieces of some size.
Result<Whole> ReadInPieces(std::string_view body, std::size_t size) {
  ListReader reader;
  Whole whole;
  for (std::size_t at = 0; at < body.size(); at += size) {
    reader.Feed(body.substr(at, size));
    for (;;) {
      FLYBALL_TRY(const auto item, reader.Next());
      if (!item) break;
      FLYBALL_TRY(const auto object, item->json ? DecodeJson<ConfigMap>(item->bytes)
                                                : DecodeProtobuf<ConfigMap>(item->bytes));
      whole.names.push_back(object.metadata.name);
    }
  }
  FLYBALL_TRY(const auto metadata, reader.Finish());
  whole.resource_version = metadata.resourceVersion;
  return whole;
}

std::string ProtobufBody(int items) {
  List<ConfigMap> list;
  list.metadata.resourceVersion = "42";
  for (int i = 0; i < items; ++i) {
    ConfigMap& map = list.items.emplace_back();
    map.metadata.name = "map-" + std::to_string(i);
    map.data["text"] = std::string(200, 'x');
  }
  std::string raw;
  EXPECT_TRUE(EncodeProtobuf(&list, list.kType, raw));
  return SealEnvelope("v1", "ConfigMapList", raw);
}

constexpr std::string_view kJsonBody =
    R"({"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"42"},"items":[)"
    R"({"metadata":{"name":"map-0"},"data":{"a":"]}\"{[,\\"}} , {"metadata":{"name":"map-1"}}]})"
    "\n";

TEST(ListReader, GivesTheSameInWhateverPiecesItComes) {
  const std::string protobuf = ProtobufBody(3);
  for (const std::size_t size : {1, 2, 3, 7, 64, 1000, 100'000}) {
    SCOPED_TRACE(size);
    EXPECT_EQ(ReadInPieces(protobuf, size), (Whole{{"map-0", "map-1", "map-2"}, "42"}));
    EXPECT_EQ(ReadInPieces(kJsonBody, size), (Whole{{"map-0", "map-1"}, "42"}));
  }
}

TEST(ListReader, TakesListsWithNothingInThem) {
  EXPECT_EQ(ReadInPieces(ProtobufBody(0), 5), (Whole{{}, "42"}));
  for (const std::string_view items :
       {R"(,"items":[])", R"(,"items":null)", R"(,"items": [ ] )", ""}) {
    const std::string body =
        R"({"kind":"ConfigMapList","metadata":{"resourceVersion":"42"})" + std::string(items) + "}";
    EXPECT_EQ(ReadInPieces(body, 3), (Whole{{}, "42"})) << body;
  }
}

TEST(ListReader, AListThatIsCutShortIsAnError) {
  for (const std::string& body : {ProtobufBody(2), std::string(kJsonBody)}) {
    // A last line end is no loss; nor are the envelope's empty fields behind the list.
    for (std::size_t size = 0; size + 5 < body.size(); ++size) {
      const auto read = ReadInPieces(body.substr(0, size), 10);
      ASSERT_FALSE(read) << size;
      EXPECT_EQ(read.error().code(), ErrorCode::kIo) << size << read.error().Describe();
    }
  }
}

TEST(ListReader, SaysWhatIsWrong) {
  const auto error = [](std::string_view body) {
    const auto read = ReadInPieces(body, 1000);
    return read ? "read" : read.error().Describe();
  };
  EXPECT_EQ(error(R"({"kind":"Status"})"), "malformed: list: it is of kind 'Status'");
  EXPECT_EQ(error(R"({"items":{}})"), "malformed: list: its items are not a list");
  EXPECT_EQ(error("[]"), "malformed: list: unexpected '[' in JSON");
  EXPECT_EQ(error(R"({"items":[1 2]})"), "malformed: a number where an object belongs");
  EXPECT_EQ(error(SealEnvelope("v1", "Status", "")), "malformed: list: it is of kind 'Status'");
  EXPECT_EQ(error(SealEnvelope("v1", "PodList", "\x12\x7f")),
            "malformed: list: a field is longer than the list");
}

}  // namespace
}  // namespace flyball::api

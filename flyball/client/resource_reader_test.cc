#include "flyball/client/resource_reader.h"

#include "flyball/api/core/v1.h"
#include "flyball/base/fake_clock.h"
#include "flyball/client/client.h"
#include "flyball/transport/transport_fake.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::client {
namespace {

using testing::ElementsAre;
using transport::FakeTransport;

class DynamicListTest : public testing::Test {
 protected:
  FakeClock clock_;
  FakeTransport transport_{[](const auto&) {
    return FakeTransport::Answer::Of(
        200,
        R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[)"
        R"({"metadata":{"name":"a"}},)"
        R"({"metadata":{"name":"b"},"kind":"Other","apiVersion":"example.com/v1"}]})",
        {{"content-type", "application/json"}});
  }};
  RestClient rest_{{.transport = transport_, .clock = clock_}, {}};
  const Client client_{rest_};
  const Resource pods_ = Resource::Of<core::v1::Pod>();
  const std::string a_ = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}})";
  const std::string b_ =
      R"({"apiVersion":"example.com/v1","kind":"Other","metadata":{"name":"b"}})";
};

// What a watch brings says its kind, so what a list brings must too: a cache holds both.
TEST_F(DynamicListTest, ItemsThatAreReadOneByOneSayTheirKind) {
  std::vector<std::string> read;
  auto reader = client_.DynamicReader(pods_);
  const auto listed = reader.List("", {}, {}, [&](const auto& object) -> Result<> {
    read.push_back(object->ToString());
    return {};
  });
  ASSERT_TRUE(listed) << listed.error().Describe();
  EXPECT_THAT(read, ElementsAre(a_, b_));
}

TEST_F(DynamicListTest, ItemsThatAreReadAtOnceSayTheirKind) {
  const auto list = client_.Dynamic(pods_).ListIn("");
  ASSERT_TRUE(list) << list.error().Describe();
  ASSERT_EQ(list->items.size(), 2u);
  EXPECT_EQ(list->items[0].ToString(), a_);
  EXPECT_EQ(list->items[1].ToString(), b_);
}

// They are often half of an object, and caches would keep them for nobody.
TEST(ObjectReaderTest, LeavesManagedFieldsOut) {
  core::v1::ConfigMap map;
  map.metadata.name = "settings";
  map.data["color"] = "blue";
  core::v1::ConfigMap managed = map;
  managed.metadata.managedFields.emplace_back().manager = "somebody";
  for (const Encoding encoding : {Encoding::kProtobuf, Encoding::kJson}) {
    const auto body = EncodeBody(&managed, core::v1::ConfigMap::kType, encoding);
    ASSERT_TRUE(body);
    const auto read = ObjectReader<core::v1::ConfigMap>().Read(body->bytes);
    ASSERT_TRUE(read) << read.error().Describe();
    EXPECT_EQ(**read, map);
    // Those who ask for one object have all of it.
    EXPECT_EQ(DecodeBody<core::v1::ConfigMap>(body->bytes).value(), managed);
  }
  // What nothing is known of is kept as it came.
  const auto body = EncodeBody(&managed, core::v1::ConfigMap::kType, Encoding::kJson);
  const auto read = ObjectReader<api::Json>().Read(body->bytes);
  ASSERT_TRUE(read) << read.error().Describe();
  EXPECT_EQ((*read)->ToString(), api::Json::Parse(body->bytes)->ToString());
}

}  // namespace
}  // namespace flyball::client

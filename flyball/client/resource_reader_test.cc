#include "flyball/client/resource_reader.h"

#include "flyball/api/core/v1.h"
#include "flyball/api/views.h"
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

/// A pod with an image that turned into a number on the way.
std::string GarbledPod() {
  core::v1::Pod pod;
  pod.metadata.name = "web-0";
  pod.metadata.namespace_ = "team";
  pod.metadata.uid = "1";
  meta::v1::OwnerReference& owner = pod.metadata.ownerReferences.emplace_back();
  owner.kind = "ReplicaSet";
  owner.uid = "2";
  owner.controller = true;
  pod.spec.nodeName = "node-1";
  pod.spec.containers.emplace_back().image = "undecodable";
  std::string body = EncodeBody(&pod, core::v1::Pod::kType, Encoding::kProtobuf)->bytes;
  body[body.find("undecodable") - 2] = 0x10;
  return body;
}

template <typename T>
void ExpectMetadataOnly(const std::string& body) {
  ObjectReader<T> reader;
  const auto kept = KeptUnreadable<T>(reader.Read(body), reader, std::string_view(body));
  ASSERT_TRUE(kept) << kept.error().Describe();
  ASSERT_NE(UnreadableReason(*kept), nullptr);
  EXPECT_THAT(*UnreadableReason(*kept), testing::StartsWith("malformed: spec.containers[0]"));
  EXPECT_EQ((*kept)->metadata.name, "web-0");
  EXPECT_EQ((*kept)->metadata.namespace_, "team");
  ASSERT_EQ((*kept)->metadata.ownerReferences.size(), 1u);
  EXPECT_EQ((*kept)->metadata.ownerReferences[0].uid, "2");
  EXPECT_TRUE((*kept)->spec.nodeName.empty());
  EXPECT_EQ((*kept)->spec.containers.size(), 0u);
}

TEST(UnreadableTest, ObjectsAndViewsThatCannotBeDecodedAreTheirMetadata) {
  ExpectMetadataOnly<core::v1::Pod>(GarbledPod());
  ExpectMetadataOnly<views::Pod>(GarbledPod());
}

TEST(UnreadableTest, JsonThatNestsTooDeepIsItsMetadata) {
  const std::string deep = std::string(5'000, '[') + std::string(5'000, ']');
  const std::string body =
      R"({"kind":"Gadget","apiVersion":"example.com/v1","spec":)" + deep +
      R"(,"metadata":{"name":"deep","namespace":"team","managedFields":[{"manager":"m"}]}})";
  ObjectReader<api::Json> reader;
  const auto kept = KeptUnreadable<api::Json>(reader.Read(body), reader, std::string_view(body));
  ASSERT_TRUE(kept) << kept.error().Describe();
  EXPECT_FALSE(IsReadable(*kept));
  EXPECT_EQ((*kept)->ToString(), R"({"metadata":{"name":"deep","namespace":"team"}})");
}

/// What a server sends of a custom kind that may nest deeper than we decode.
class DeepJsonTest : public testing::Test {
 protected:
  static std::string Gadget(const std::string& name, int depth) {
    return R"({"kind":"Gadget","apiVersion":"example.com/v1","metadata":{"name":")" + name +
           R"(","namespace":"team","resourceVersion":"7"},"spec":)" + std::string(depth, '[') +
           std::string(depth, ']') + "}";
  }
  static std::string Event(const std::string& type, const std::string& object) {
    return R"({"type":")" + type + R"(","object":)" + object + "}\n";
  }
  /// "deep", or "deep unreadable".
  static std::string TextOf(const std::shared_ptr<const api::Json>& object) {
    const api::Json* const metadata = object->Find("metadata");
    const api::Json* const name = metadata == nullptr ? nullptr : metadata->Find("name");
    const std::string* const text = name == nullptr ? nullptr : name->If<std::string>();
    return (text == nullptr ? "nameless" : *text) + (IsReadable(object) ? "" : " unreadable");
  }

  std::string body_;
  FakeClock clock_;
  FakeTransport transport_{[this](const auto&) {
    return FakeTransport::Answer::Of(200, body_, {{"content-type", "application/json"}});
  }};
  RestClient rest_{{.transport = transport_, .clock = clock_}, {}};
  ResourceReader<api::Json> reader_ =
      Client(rest_).DynamicReader({"example.com", "v1", "gadgets", "Gadget", true});
};

TEST_F(DeepJsonTest, EventIsItsMetadataAndTheNextOnesFollow) {
  body_ = Event("ADDED", Gadget("deep", 150)) + Event("ADDED", Gadget("flat", 1)) +
          Event("MODIFIED", Gadget("deeper", 9'000)) + Event("DELETED", Gadget("deep", 150));
  auto watch = reader_.Watch("team", {}, {});
  ASSERT_TRUE(watch) << watch.error().Describe();
  std::vector<std::string> events;
  for (int i = 0; i < 4; ++i) {
    const auto event = watch->Next();
    ASSERT_TRUE(event) << event.error().Describe();
    ASSERT_TRUE(*event);
    events.push_back(std::string(ToString((*event)->type)) + " " + TextOf((*event)->object));
  }
  EXPECT_THAT(events, ElementsAre("ADDED deep unreadable", "ADDED flat",
                                  "MODIFIED deeper unreadable", "DELETED deep unreadable"));
  EXPECT_FALSE(watch->Next().value());
}

TEST_F(DeepJsonTest, LineThatIsNoEventEndsTheWatch) {
  for (const std::string line :
       {"[[", R"({"type":7,"object":{}})", R"({"type":"ADDED","object":[)"}) {
    body_ = line + "\n";
    auto watch = reader_.Watch("team", {}, {});
    ASSERT_TRUE(watch);
    const auto event = watch->Next();
    ASSERT_FALSE(event) << line;
    EXPECT_EQ(event.error().code(), ErrorCode::kMalformed) << line;
  }
}

TEST_F(DeepJsonTest, ItemFailsTheListByNameOrIsMarked) {
  body_ = R"({"kind":"GadgetList","apiVersion":"example.com/v1","metadata":{},"items":[)" +
          Gadget("deep", 150) + "," + Gadget("flat", 1) + "]}";
  std::vector<std::string> read;
  const auto each = [&](const auto& object) -> Result<> {
    read.push_back(TextOf(object));
    return {};
  };
  const auto listed = reader_.List("team", {}, {}, each);
  ASSERT_FALSE(listed);
  EXPECT_EQ(listed.error().code(), ErrorCode::kMalformed);
  EXPECT_THAT(listed.error().Describe(), testing::HasSubstr("team/deep"));
  EXPECT_THAT(read, testing::IsEmpty());

  ASSERT_TRUE(reader_.List("team", {}, {}, each, Unreadable::kMark));
  EXPECT_THAT(read, ElementsAre("deep unreadable", "flat"));
}

TEST(UnreadableTest, AnObjectWithoutMetadataHasNoName) {
  ObjectReader<core::v1::Pod> reader;
  const std::string_view body = R"({"metadata":7)";
  const auto kept = KeptUnreadable<core::v1::Pod>(reader.Read(body), reader, body);
  ASSERT_TRUE(kept) << kept.error().Describe();
  EXPECT_FALSE(IsReadable(*kept));
  EXPECT_EQ((*kept)->metadata.name, "");
}

TEST(UnreadableTest, TheMarkStaysWithCopiesAndCasts) {
  const auto pod = MarkUnreadable<core::v1::Pod>(std::make_shared<core::v1::Pod>(), "reason");
  const std::shared_ptr<const void> any = pod;
  EXPECT_EQ(*UnreadableReason(std::static_pointer_cast<const core::v1::Pod>(any)), "reason");
  EXPECT_TRUE(IsReadable(std::make_shared<core::v1::Pod>()));
  EXPECT_TRUE(IsReadable(nullptr));
}

}  // namespace
}  // namespace flyball::client

#include "flyball/sandbox/watch_fanout.h"

#include <string>
#include <utility>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/base/deterministic_executor.h"
#include "flyball/sandbox/resources.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::sandbox {
namespace {

using core::v1::ConfigMap;
using testing::ElementsAre;

class WatchFramesTest : public testing::Test {
 protected:
  RecordPtr MakeMap(const std::string& name, std::size_t size = 0) const {
    api::AnyObject object(resource_->kind->type());
    auto& map = *static_cast<ConfigMap*>(object.get());
    map.metadata.name = name;
    map.data["filler"] = std::string(size, 'x');
    return std::make_shared<const Record>(resource_->kind, object);
  }
  ResponseEncoder In(MediaType media, Form form = Form::kWhole) const {
    return {resource_, {.media = media, .form = form}, clock_};
  }

  RealClock clock_;
  const Resources resources_;
  const ResourcePtr resource_ = resources_.Find("", "v1", "configmaps");
  WatchFrames frames_;
};

TEST_F(WatchFramesTest, AFrameIsMadeOnceForAllWhoAreShownTheSame) {
  const RecordPtr map = MakeMap("a");
  const std::string& first = frames_.Event(In(MediaType::kProtobuf), "ADDED", map);
  EXPECT_EQ(first, In(MediaType::kProtobuf).Event("ADDED", map));
  EXPECT_EQ(&frames_.Event(In(MediaType::kProtobuf), "ADDED", map), &first);
}

TEST_F(WatchFramesTest, AnotherObjectEventOrFormIsAnotherFrame) {
  const RecordPtr map = MakeMap("a");
  const RecordPtr other = MakeMap("b");
  const auto same = [&](const ResponseEncoder& encoder, std::string_view type,
                        const RecordPtr& record) {
    EXPECT_EQ(frames_.Event(encoder, type, record), encoder.Event(type, record)) << type;
  };
  for (int round = 0; round < 2; ++round) {
    for (const MediaType media : {MediaType::kProtobuf, MediaType::kJson}) {
      same(In(media), "ADDED", map);
      same(In(media), "MODIFIED", map);
      same(In(media), "ADDED", other);
      same(In(media, Form::kMetadata), "ADDED", map);
    }
    same(In(MediaType::kJson, Form::kTable), "ADDED", map);
  }
}

TEST_F(WatchFramesTest, LargeFramesAreGivenAndNotKept) {
  const RecordPtr large = MakeMap("large", std::size_t{3} << 20);
  const RecordPtr too_much = MakeMap("too-much", std::size_t{3} << 20);
  const ResponseEncoder encoder = In(MediaType::kProtobuf);
  EXPECT_EQ(frames_.Event(encoder, "ADDED", large), encoder.Event("ADDED", large));
  EXPECT_EQ(frames_.Event(encoder, "ADDED", too_much), encoder.Event("ADDED", too_much));
  EXPECT_EQ(frames_.Event(encoder, "ADDED", large), encoder.Event("ADDED", large));
}

/// Sends so many times, and notes each.
class Subscriber final : public WatchFanout::Subscriber {
 public:
  Subscriber(std::string name, int sends, std::vector<std::string>& taken)
      : name_(std::move(name)), sends_(sends), taken_(taken) {}
  bool SendPart(WatchFrames&) override {
    taken_.push_back(name_);
    return --sends_ > 0;
  }
  void OnDropped() override { taken_.push_back(name_ + " was dropped"); }

 private:
  const std::string name_;
  int sends_;
  std::vector<std::string>& taken_;
};

TEST(WatchFanout, SubscriberWithMoreToSendGoesAfterTheOthers) {
  DeterministicExecutor executor(1);
  const auto fanout = std::make_shared<WatchFanout>(executor);
  std::vector<std::string> taken;
  for (int round = 0; round < 2; ++round) {
    fanout->Add(std::make_shared<Subscriber>("a", 3, taken));
    fanout->Add(std::make_shared<Subscriber>("b", 1, taken));
    fanout->Add(std::make_shared<Subscriber>("c", 2, taken));
    executor.Drain();
    EXPECT_THAT(std::exchange(taken, {}), ElementsAre("a", "b", "c", "a", "c", "a"));
  }
}

TEST(WatchFanout, DroppedTaskNotifiesTheSubscribersThatWait) {
  DeterministicExecutor executor(1);
  const auto fanout = std::make_shared<WatchFanout>(executor);
  std::vector<std::string> taken;
  fanout->Add(std::make_shared<Subscriber>("a", 1, taken));
  fanout->Add(std::make_shared<Subscriber>("b", 1, taken));
  executor.Abandon();
  EXPECT_THAT(taken, ElementsAre("a was dropped", "b was dropped"));
}

}  // namespace
}  // namespace flyball::sandbox

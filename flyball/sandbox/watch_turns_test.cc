#include "flyball/sandbox/watch_turns.h"

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
  Presenter In(MediaType media, Form form = Form::kWhole) const {
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
  const auto same = [&](const Presenter& presenter, std::string_view type,
                        const RecordPtr& record) {
    EXPECT_EQ(frames_.Event(presenter, type, record), presenter.Event(type, record)) << type;
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
  const Presenter presenter = In(MediaType::kProtobuf);
  EXPECT_EQ(frames_.Event(presenter, "ADDED", large), presenter.Event("ADDED", large));
  EXPECT_EQ(frames_.Event(presenter, "ADDED", too_much), presenter.Event("ADDED", too_much));
  EXPECT_EQ(frames_.Event(presenter, "ADDED", large), presenter.Event("ADDED", large));
}

/// Needs so many turns, and writes down each.
class Taker final : public WatchTurns::Taker {
 public:
  Taker(std::string name, int turns, std::vector<std::string>& taken)
      : name_(std::move(name)), turns_(turns), taken_(taken) {}
  bool TakeTurn(WatchFrames&) override {
    taken_.push_back(name_);
    return --turns_ > 0;
  }
  void LoseTurn() override { taken_.push_back(name_ + " lost its turn"); }

 private:
  const std::string name_;
  int turns_;
  std::vector<std::string>& taken_;
};

TEST(WatchTurns, WhoNeedsMoreTurnsHasThemAfterTheOthers) {
  DeterministicExecutor executor(1);
  const auto turns = std::make_shared<WatchTurns>(executor);
  std::vector<std::string> taken;
  for (int round = 0; round < 2; ++round) {
    turns->Add(std::make_shared<Taker>("a", 3, taken));
    turns->Add(std::make_shared<Taker>("b", 1, taken));
    turns->Add(std::make_shared<Taker>("c", 2, taken));
    executor.Drain();
    EXPECT_THAT(std::exchange(taken, {}), ElementsAre("a", "b", "c", "a", "c", "a"));
  }
}

TEST(WatchTurns, WhoWaitsForATaskThatIsDroppedIsTold) {
  DeterministicExecutor executor(1);
  const auto turns = std::make_shared<WatchTurns>(executor);
  std::vector<std::string> taken;
  turns->Add(std::make_shared<Taker>("a", 1, taken));
  turns->Add(std::make_shared<Taker>("b", 1, taken));
  executor.Abandon();
  EXPECT_THAT(taken, ElementsAre("a lost its turn", "b lost its turn"));
}

}  // namespace
}  // namespace flyball::sandbox

#include "flyball/cache/informer_factory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/api/core/v1.h"
#include "flyball/api/kubelet_views.h"
#include "flyball/api/views.h"
#include "flyball/base/deterministic_executor.h"
#include "flyball/transport/transport_fake.h"

namespace flyball::cache {
namespace {

using client::Resource;
using core::v1::Pod;
using testing::ElementsAre;
using testing::IsEmpty;
using transport::FakeTransport;

class InformerFactoryTest : public testing::Test {
 protected:
  /// Runs a test as a task, so that it can wait as the rest does.
  void Play(const std::function<void()>& test) {
    bool done = false;
    executor_.Start("test", [&] {
      test();
      done = true;
    });
    const auto report = executor_.RunFor(std::chrono::hours(1));
    EXPECT_TRUE(done) << report.Describe();
  }

  /// The paths that were asked for, without what was asked of them.
  std::vector<std::string> Paths() {
    std::vector<std::string> paths;
    for (const auto& request : transport_.requests()) {
      paths.push_back(request.target.substr(0, request.target.find('?')));
    }
    return paths;
  }

  DeterministicExecutor executor_{1};
  Timers timers_{executor_};
  FakeTransport transport_{[](const auto&) {
    return FakeTransport::Answer::Of(404, R"({"kind":"Status","code":404,"reason":"NotFound"})",
                                     {{"content-type", "application/json"}});
  }};
  client::RestClient rest_{{.transport = transport_, .clock = executor_.clock()}, {}};
  InformerFactory informers_{
      {.client = client::Client(rest_), .executor = executor_, .timers = timers_, .random = [] {
         return 0.5;
       }}};
  const Resource pods_ = Resource::Of<Pod>();
};

TEST_F(InformerFactoryTest, GivesAllWhoAskForTheSameTheSameCache) {
  const auto pods = informers_.Of<Pod>();
  EXPECT_EQ(informers_.Of<Pod>().core(), pods.core());
  EXPECT_NE(informers_.Of<views::Pod>().core(), pods.core());
  EXPECT_NE(informers_.Dynamic(pods_).core(), pods.core());
  EXPECT_NE(informers_.Of<Pod>({.namespace_ = "default"}).core(), pods.core());
  EXPECT_NE(informers_.Of<Pod>({.label_selector = "app=web"}).core(), pods.core());
  EXPECT_NE(informers_.Of<Pod>({.field_selector = "metadata.name=web"}).core(), pods.core());
  EXPECT_NE(informers_.Of<Pod>({.keep = Keep::kNames}).core(), pods.core());
  EXPECT_EQ(informers_.Statuses().size(), 7u);
}

TEST_F(InformerFactoryTest, MetadataRidesOnWhatIsReadOfTheSameObjects) {
  const auto in_default = informers_.Of<views::Pod>({.namespace_ = "default"});
  const auto metadata = informers_.Metadata(pods_);
  EXPECT_NE(metadata.core(), in_default.core());
  EXPECT_EQ(informers_.Metadata(pods_, {.namespace_ = "default"}).core(), in_default.core());
  EXPECT_EQ(informers_.Metadata(pods_).core(), metadata.core());
}

TEST_F(InformerFactoryTest, StartsWhatIsAskedForBeforeAndAfter) {
  Play([&] {
    const auto pods = informers_.Of<Pod>();
    executor_.clock().SleepFor(std::chrono::milliseconds(10));
    EXPECT_THAT(Paths(), IsEmpty());
    informers_.Start();
    informers_.Start();
    const auto nodes = informers_.Of<core::v1::Node>();
    executor_.clock().SleepFor(std::chrono::milliseconds(10));
    EXPECT_THAT(Paths(), ElementsAre("/api/v1/pods", "/api/v1/nodes"));
    informers_.Stop();
  });
}

TEST_F(InformerFactoryTest, SaysWhatKeepsACacheFromBeingFilled) {
  Play([&] {
    informers_.Of<Pod>();
    informers_.Start();
    executor_.clock().SleepFor(std::chrono::milliseconds(10));
    const auto statuses = informers_.Statuses();
    ASSERT_EQ(statuses.size(), 1u);
    EXPECT_EQ(statuses[0].name, "pods");
    EXPECT_FALSE(statuses[0].state.synced);
    ASSERT_TRUE(statuses[0].state.problem.has_value());
    EXPECT_EQ(statuses[0].state.problem->code(), ErrorCode::kNotServed);
    EXPECT_EQ(statuses[0].objects, 0u);
    informers_.Stop();
  });
}

TEST_F(InformerFactoryTest, WhatIsForgottenIsAskedForNoMore) {
  Play([&] {
    informers_.Of<Pod>();
    informers_.Of<views::Pod>();
    const auto nodes = informers_.Of<core::v1::Node>();
    informers_.Start();
    executor_.clock().SleepFor(std::chrono::milliseconds(10));
    informers_.Forget(pods_);
    const std::size_t asked = Paths().size();
    executor_.clock().SleepFor(std::chrono::seconds(5));
    const auto paths = Paths();
    EXPECT_GT(paths.size(), asked);
    EXPECT_THAT(std::vector(paths.begin() + static_cast<std::ptrdiff_t>(asked), paths.end()),
                testing::Each("/api/v1/nodes"));
    EXPECT_EQ(informers_.Statuses().size(), 1u);
    informers_.Stop();
  });
}

Follower Nobody() {
  return {.name = "nobody", .stored = [](const auto&) {}, .deleted = [](const auto&) {}};
}

TEST_F(InformerFactoryTest, AFollowerIsToldByThoseWhoReadMoreOfTheSameObjects) {
  const auto views = informers_.Of<views::Pod>();
  const auto following = informers_.Follow(pods_, Nobody());
  EXPECT_EQ(following.source, views.core());
  informers_.Unfollow(pods_);
  EXPECT_EQ(informers_.Statuses().size(), 1u) << "others read it still";
}

TEST_F(InformerFactoryTest, AFollowerIsNotToldByThoseWhoKnowNothingOfOwnersOrNotAllObjects) {
  const auto views = informers_.Of<views::KubeletPod>();
  const auto some = informers_.Of<Pod>({.namespace_ = "default"});
  const auto following = informers_.Follow(pods_, Nobody());
  EXPECT_NE(following.source, views.core());
  EXPECT_NE(following.source, some.core());
  EXPECT_EQ(informers_.Statuses().size(), 3u);
  informers_.Unfollow(pods_);
  EXPECT_EQ(informers_.Statuses().size(), 2u);
}

TEST_F(InformerFactoryTest, FollowersStartWhatTheyNeedAtOnceAndEndIt) {
  Play([&] {
    informers_.Start();
    auto following = informers_.Follow(pods_, Nobody());
    executor_.clock().SleepFor(std::chrono::milliseconds(10));
    EXPECT_THAT(Paths(), ElementsAre("/api/v1/pods"));
    following.registration.reset();
    informers_.Unfollow(pods_);
    executor_.clock().SleepFor(std::chrono::minutes(1));
    EXPECT_THAT(Paths(), ElementsAre("/api/v1/pods"));
    informers_.Stop();
  });
}

TEST_F(InformerFactoryTest, WaitingEndsWhenAStopIsAskedFor) {
  Play([&] {
    informers_.Of<Pod>();
    informers_.Start();
    std::stop_source stop;
    executor_.Start("stop", [&] {
      executor_.clock().SleepFor(std::chrono::seconds(1));
      stop.request_stop();
    });
    EXPECT_FALSE(informers_.WaitForSync(stop.get_token()));
    informers_.Stop();
  });
}

}  // namespace
}  // namespace flyball::cache

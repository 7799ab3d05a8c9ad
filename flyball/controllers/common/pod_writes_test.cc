#include "flyball/controllers/common/pod_writes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "flyball/controllers/common/internal/controller_fixture.h"
#include "flyball/controllers/common/internal/pod_fake.h"
#include "flyball/runtime/event_recorder_fake.h"

namespace flyball::controllers::common {
namespace {

using core::v1::Pod;
using testing::ElementsAre;

std::vector<std::size_t> Batches(std::size_t count) {
  std::vector<std::size_t> batches;
  for (std::size_t batch = NextBatch(0, count); batch > 0; batch = NextBatch(batch, count)) {
    batches.push_back(batch);
    count -= batch;
  }
  return batches;
}

TEST(PodBatches, BatchesDoubleUntilAllAreMade) {
  EXPECT_THAT(Batches(0), ElementsAre());
  EXPECT_THAT(Batches(1), ElementsAre(1));
  EXPECT_THAT(Batches(2), ElementsAre(1, 1));
  EXPECT_THAT(Batches(7), ElementsAre(1, 2, 4));
  EXPECT_THAT(Batches(10), ElementsAre(1, 2, 4, 3));
  EXPECT_THAT(Batches(500), ElementsAre(1, 2, 4, 8, 16, 32, 64, 128, 245));
}

/// Writes to a server.
class PodWritesTest : public ControllerFixture {
 protected:
  PodWritesTest() { CreateServiceAccount("default"); }

  static Pod PodNamed(const std::string& name) {
    Pod pod;
    pod.metadata.namespace_ = "default";
    pod.metadata.name = name;
    pod.metadata.labels["app"] = "web";
    pod.spec.containers.emplace_back().name = "main";
    pod.spec.containers[0].image = "none";
    return pod;
  }
  void With(const std::function<void(runtime::Context&)>& test) {
    Play(std::make_unique<runtime::Controller>("pods", deps()), [&] {
      const auto all = deps();
      runtime::Context context({.client = all.client, .events = events_, .now = {}});
      test(context);
    });
  }

  const core::v1::ObjectReference owner_;
  runtime::FakeEventRecorder events_;
};

TEST_F(PodWritesTest, PodsThatDifferAreMadeInTheirOrderAndTold) {
  With([&](runtime::Context& context) {
    const auto writes = CreatePods(context, owner_, 4, [](std::size_t index) {
      return PodNamed("web-" + std::to_string(index));
    });
    EXPECT_EQ(writes.created, 4);
    EXPECT_FALSE(writes.failure);
    EXPECT_THAT(events_.lines(), ElementsAre("Normal SuccessfulCreate: Created pod: web-0",
                                             "Normal SuccessfulCreate: Created pod: web-1",
                                             "Normal SuccessfulCreate: Created pod: web-2",
                                             "Normal SuccessfulCreate: Created pod: web-3"));
  });
}

TEST_F(PodWritesTest, AfterABatchThatFailsThereIsNoOther) {
  ASSERT_TRUE(All<Pod>().Create(PodNamed("web-1")));
  With([&](runtime::Context& context) {
    const auto writes = CreatePods(context, owner_, 9, [](std::size_t index) {
      return PodNamed("web-" + std::to_string(index));
    });
    EXPECT_EQ(writes.created, 2);
    ASSERT_TRUE(writes.failure);
    EXPECT_EQ(writes.failure->code(), ErrorCode::kAlreadyExists);
    EXPECT_THAT(TakeRequests(), testing::SizeIs(3));
  });
}

TEST_F(PodWritesTest, PodsWithoutLabelsAreNotMade) {
  With([&](runtime::Context& context) {
    Pod bare = PodNamed("web");
    bare.metadata.labels.clear();
    const auto writes = CreatePods(context, owner_, bare, 3);
    EXPECT_EQ(writes.created, 0);
    ASSERT_TRUE(writes.failure);
    EXPECT_EQ(writes.failure->message(), "unable to create pods, no labels");
    EXPECT_THAT(events_.lines(), testing::IsEmpty());
    EXPECT_THAT(TakeRequests(), testing::IsEmpty());
  });
}

TEST_F(PodWritesTest, APodThatIsGoneAlreadyCountsAsRemoved) {
  const auto there = ViewOf(All<Pod>().Create(PodNamed("there")).value());
  const auto gone = ViewOf(All<Pod>().Create(PodNamed("gone")).value());
  ASSERT_TRUE(All<Pod>().Delete({"default", "gone"}));
  With([&](runtime::Context& context) {
    const std::vector<cache::Ref<views::Pod>> both = {there, gone};
    const auto writes = DeletePods(context, owner_, both);
    EXPECT_EQ(writes.removed, both);
    EXPECT_FALSE(writes.failure);
    EXPECT_THAT(events_.lines(), ElementsAre("Normal SuccessfulDelete: Deleted pod: there"));
  });
}

}  // namespace
}  // namespace flyball::controllers::common

// That a process which is blocked in one place goes on in the others. The threads are real.

#include "flyball/operator/run.h"

#include "flyball/api/core/v1.h"
#include "flyball/operator/operator.h"
#include "flyball/runtime/controller.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/threads/election_server.h"

namespace flyball {
namespace {

using namespace std::chrono_literals;
using core::v1::Secret;
using threads::kRenewalsOfTwentySeconds;

/// An operator at work. A handler of what it watches blocks the network thread.
class OperatorRunTest : public testing::Test {
 protected:
  void SetUp() override {
    // By hand: what a builder is given runs elsewhere.
    manager_.Add("secrets", [this](const runtime::Controller::Deps& deps) {
      auto controller = std::make_unique<runtime::Controller>("secrets", deps);
      controller->On<Secret>(controller->Reads<Secret>(), {.added = [this](const auto&, bool) {
                               blocker_.Block(threads::kThreadOfWatches);
                             }});
      return controller;
    });
    options_.access.server = *transport::Url::Parse(server_.url());
    options_.election = {.lease = {"default", "operator"}, .times = {.retry_period = 50ms}};
    options_.health = {.address = "127.0.0.1", .port = 0};
    server_.Start([this] {
      ended_ = flyball::Run(manager_, options_, Logger({.verbosity = 4}, server_.clock(), log_));
    });
    port_ = log_->AwaitAfter("\"Serving health and metrics\" url=\"");
    ASSERT_NE(port_, "");
    ASSERT_NE(log_->AwaitAfter("\"Controller started\" controller=\""), "");
  }
  void TearDown() override {
    blocker_.Release();
    server_.Stop();
    EXPECT_TRUE(ended_.has_value()) << ended_.error().Describe();
  }

  /// Returns the blocked thread's name.
  std::string BlockWatches() {
    // Right after the list a task may still be at it; then the network thread tells of changes.
    return blocker_.BlockBy([this] {
      Secret secret;
      secret.metadata.namespace_ = "default";
      secret.metadata.generateName = "secret-";
      EXPECT_TRUE(server_.client().Of<Secret>().Create(secret).has_value());
    });
  }
  std::string BlockPort() {
    log_->BlockAt(threads::kNoteOfKnock, blocker_);
    return blocker_.BlockBy([this] { threads::Knock(threads::PortOf(port_)); });
  }
  int Status(const std::string& path) {
    const auto response = server_.Get(port_, path);
    EXPECT_TRUE(response.has_value()) << response.error().Describe();
    return response ? response->status : 0;
  }

  threads::ElectionServer server_;
  threads::Blocker blocker_{server_.clock()};
  const std::shared_ptr<threads::BlockingLogSink> log_ =
      std::make_shared<threads::BlockingLogSink>(server_.clock());
  Manager manager_{{.name = "operator"}};
  RunOptions options_;
  std::string port_;  // its URL
  Result<> ended_;
};

TEST_F(OperatorRunTest, RenewsTheLeaseWhileTheThreadOfTheWatchesIsBlocked) {
  EXPECT_EQ(BlockWatches(), threads::kThreadOfWatches);
  EXPECT_TRUE(server_.AwaitRenewals(kRenewalsOfTwentySeconds));
}

TEST_F(OperatorRunTest, AnswersProbesWhileTheThreadOfTheWatchesIsBlocked) {
  EXPECT_EQ(BlockWatches(), threads::kThreadOfWatches);
  EXPECT_EQ(Status("/healthz"), 200);
  EXPECT_EQ(Status("/readyz"), 200);
}

TEST_F(OperatorRunTest, RenewsTheLeaseWhileTheThreadOfThePortIsBlocked) {
  ASSERT_NE(BlockPort(), "");
  EXPECT_TRUE(server_.AwaitRenewals(kRenewalsOfTwentySeconds));
}

}  // namespace
}  // namespace flyball

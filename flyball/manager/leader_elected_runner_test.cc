#include "flyball/runtime/leader_elected_runner.h"

#include "flyball/api/core/v1.h"
#include "flyball/base/deterministic_executor.h"
#include "flyball/manager/controller_host.h"
#include "flyball/sandbox/api_server.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::manager {
namespace {

using namespace std::chrono_literals;
using controllers::Entry;
using controllers::Settings;
using coordination::v1::Lease;
using core::v1::ConfigMap;
using runtime::Context;
using runtime::Controller;
using runtime::LeaderElectedRunner;
using runtime::Outcome;

/// Takes as long over each ConfigMap as it says, in seconds.
constexpr Entry kSlow = {
    "slow", "", "slow-controller",
    [](const Controller::Deps& deps, const Settings&) -> controllers::Made {
      auto controller = std::make_unique<Controller>("slow", deps);
      const auto maps = controller->Reads<ConfigMap>();
      auto& queue = controller->AddQueue<>(
          {.name = "slow"},
          [maps = maps.lister(), &clock = deps.executor.clock()](
              Context& context, const api::ObjectKey& key) -> Result<Outcome> {
            const auto map = maps.Get(key);
            clock.SleepFor(std::chrono::seconds(std::stoi(*map->data.find("seconds"))));
            ConfigMap done = *map;
            done.data["done"] = "yes";
            FLYBALL_TRY(context.Update(done));
            return Outcome::Done();
          });
      controller->On<ConfigMap>(maps, {.added = [&queue](const auto& map, bool) {
                                  if (map->data.find("seconds") != nullptr) {
                                    queue.Add(api::ObjectKey::Of(*map));
                                  }
                                }});
      return controller;
    }};

/// A manager with one controller, and the thread that runs it.
class Manager {
 public:
  Manager(DeterministicExecutor& executor, transport::Transport& transport, std::string name)
      : executor_(executor),
        transport_(transport),
        rest_({.transport = transport, .clock = executor.clock()}, {}),
        identity_(*runtime::ClientIdentity::Create(
            {.executor = executor, .transport = transport, .random = Dice()}, {}, {})),
        runner_(executor, {},
                {.lock =
                     LeaderElectedRunner::Lock{
                         .deps = {.rest = rest_, .clock = executor.clock(), .random = Dice()},
                         .options = {.lease = {"kube-system", "manager"}, .identity = name},
                         .health = health_},
                 .make_runnable = [this](const auto& fence) { return MakeHost(fence); },
                 .shutdown_timeout = 10s}) {
    executor_.Start(name, [this] { ended_ = runner_.Run(stop_.get_token()); });
  }

  void Stop() { stop_.request_stop(); }
  const std::optional<Result<>>& ended() const { return ended_; }
  /// Of its clients, once it leads.
  const transport::WriteFence& fence() const { return *fence_; }

 private:
  std::unique_ptr<ControllerHost> MakeHost(
      const std::shared_ptr<const transport::WriteFence>& fence) {
    fence_ = fence;
    return std::make_unique<ControllerHost>(
        ControllerHost::Deps{
            .executor = executor_,
            .timers = timers_,
            .own = *identity_,
            .open_identity =
                [this](const controllers::Entry&) {
                  return runtime::ClientIdentity::Create(
                      {.executor = executor_, .transport = transport_, .random = Dice()}, {}, {});
                },
            .random = Dice(),
            .metrics = metrics_},
        ControllerHost::Options{.controllers = {&kSlow}});
  }
  api::RandomBits Dice() {
    return [this] { return random_ += 0x9e3779b97f4a7c15; };
  }

  DeterministicExecutor& executor_;
  transport::Transport& transport_;
  Timers timers_{executor_};
  std::uint64_t random_ = 1;
  MetricRegistry metrics_;
  client::RestClient rest_;
  std::unique_ptr<runtime::ClientIdentity> identity_;
  runtime::LeaderHealth health_{20s};
  std::shared_ptr<const transport::WriteFence> fence_;
  std::stop_source stop_;
  std::optional<Result<>> ended_;
  LeaderElectedRunner runner_;
};

class LeaderElectedRunnerTest : public testing::Test {
 protected:
  std::string Holder() {
    const auto lease = client_.Of<Lease>().Get({"kube-system", "manager"});
    return lease && lease->spec.holderIdentity ? *lease->spec.holderIdentity : "";
  }
  void CreateWork(int seconds) {
    ConfigMap map;
    map.metadata.namespace_ = "default";
    map.metadata.name = "work";
    map.data["seconds"] = std::to_string(seconds);
    ASSERT_TRUE(client_.Of<ConfigMap>().Create(map).has_value());
  }
  bool WorkIsDone() {
    const auto map = client_.Of<ConfigMap>().Get({"default", "work"});
    return map && map->data.find("done") != nullptr;
  }
  /// Runs a test in virtual time.
  void Run(std::function<void()> test) {
    bool done = false;
    executor_.Start("test", [&] {
      test();
      done = true;
    });
    const auto report = executor_.RunFor(10min);
    EXPECT_TRUE(done) << report.Describe();
  }

  DeterministicExecutor executor_{1};
  Timers timers_{executor_};
  std::uint64_t random_ = 1;
  std::unique_ptr<sandbox::ApiServer> server_ = *sandbox::ApiServer::Create(
      {executor_, timers_}, {.random = [this] { return random_ += 0x9e3779b97f4a7c15; }});
  std::unique_ptr<transport::Transport> admin_ =
      server_->As({.name = "manager", .groups = {"system:masters"}});
  client::RestClient rest_{{.transport = *admin_, .clock = executor_.clock()}, {}};
  client::Client client_{rest_};
};

TEST_F(LeaderElectedRunnerTest, StandbyTakesOverWhenTheLeaderStops) {
  Run([this] {
    auto first = std::make_unique<Manager>(executor_, *admin_, "first");
    executor_.clock().SleepFor(1s);
    EXPECT_EQ(Holder(), "first");
    auto second = std::make_unique<Manager>(executor_, *admin_, "second");
    executor_.clock().SleepFor(10s);
    EXPECT_EQ(Holder(), "first");

    CreateWork(5);
    executor_.clock().SleepFor(1s);
    first->Stop();
    executor_.clock().SleepFor(2s);
    EXPECT_EQ(Holder(), "first") << "it is not done yet";
    executor_.clock().SleepFor(3s);
    EXPECT_TRUE(WorkIsDone());
    EXPECT_TRUE(first->ended() && first->ended()->has_value());
    executor_.clock().SleepFor(5s);
    EXPECT_EQ(Holder(), "second");
    second->Stop();
    executor_.clock().SleepFor(1s);
    EXPECT_EQ(Holder(), "");
  });
}

TEST_F(LeaderElectedRunnerTest, ManagerThatDoesNotStopInTimeKeepsTheLock) {
  Run([this] {
    Manager manager(executor_, *admin_, "first");
    CreateWork(60);
    executor_.clock().SleepFor(2s);
    manager.Stop();
    executor_.clock().SleepFor(12s);
    ASSERT_TRUE(manager.ended() && !manager.ended()->has_value());
    EXPECT_EQ(manager.ended()->error().Describe(), "timeout: controller shutdown timeout reached");
    EXPECT_EQ(Holder(), "first");
  });
}

/// The successor would not see a write that is still to come.
TEST_F(LeaderElectedRunnerTest, LockIsKeptWhileAWriteIsInDoubt) {
  Run([this] {
    for (const bool in_doubt : {true, false}) {
      Manager manager(executor_, *admin_, "first");
      executor_.clock().SleepFor(20s);
      ASSERT_EQ(Holder(), "first");
      manager.fence().Unsettled(executor_.clock().SteadyNow() + (in_doubt ? 5s : -3s));
      manager.Stop();
      executor_.clock().SleepFor(1s);
      ASSERT_TRUE(manager.ended() && manager.ended()->has_value());
      EXPECT_FALSE(manager.fence().IsOpen());
      EXPECT_EQ(Holder(), in_doubt ? "first" : "");
    }
  });
}

TEST_F(LeaderElectedRunnerTest, StandbyStopsAtOnce) {
  Run([this] {
    Manager first(executor_, *admin_, "first");
    executor_.clock().SleepFor(1s);
    Manager second(executor_, *admin_, "second");
    executor_.clock().SleepFor(1s);
    second.Stop();
    executor_.clock().SleepFor(1ms);
    EXPECT_TRUE(second.ended() && second.ended()->has_value());
    EXPECT_EQ(Holder(), "first");
    first.Stop();
    executor_.clock().SleepFor(1s);
  });
}

TEST_F(LeaderElectedRunnerTest, LostLockIsAnError) {
  Run([this] {
    Manager manager(executor_, *admin_, "first");
    executor_.clock().SleepFor(1s);
    auto lease = client_.Of<Lease>().Get({"kube-system", "manager"});
    lease->spec.holderIdentity = "thief";
    ASSERT_TRUE(client_.Of<Lease>().Update(*lease).has_value());
    executor_.clock().SleepFor(15s);
    ASSERT_TRUE(manager.ended() && !manager.ended()->has_value());
    EXPECT_EQ(manager.ended()->error().Describe(), "unavailable: leader election lost");
  });
}

}  // namespace
}  // namespace flyball::manager

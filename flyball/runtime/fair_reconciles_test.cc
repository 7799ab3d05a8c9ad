// One namespace has very many keys. What does another's key wait for?

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "flyball/base/deterministic_executor.h"
#include "flyball/runtime/controller.h"
#include "flyball/runtime/event_recorder_fake.h"
#include "flyball/sandbox/sandbox.h"

namespace flyball::runtime {
namespace {

using api::Json;
using api::ObjectKey;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

const client::Resource kConfigMaps{"", "v1", "configmaps", "ConfigMap", true};
constexpr milliseconds kReconcileTakes{20};
constexpr int kFailuresOfVictim = 3;

struct Crowd {
  int keys = 0;
  bool fails = false;
};

class FairReconcilesTest : public testing::Test {
 protected:
  /// The times, from when it is added, at which a key is reconciled that fails three times. The
  /// crowd, of another namespace, has been at work for a second by then.
  static std::vector<nanoseconds> TimesBeside(const Crowd& crowd) {
    DeterministicExecutor executor(1);
    Timers timers(executor);
    sandbox::Sandbox sandbox({executor, timers}, {.seed = 1});
    const sandbox::Session session(sandbox.transport(), executor.clock());
    cache::InformerFactory informers(
        {.client = session.client(), .executor = executor, .timers = timers, .random = [] {
           return 0.5;
         }});
    FakeEventRecorder events;
    Controller controller("test", {.client = session.client(),
                                   .informers = informers,
                                   .executor = executor,
                                   .timers = timers,
                                   .events = events.Maker()});
    const ObjectKey victim{"victim", "key"};
    std::vector<SteadyTime> times;
    auto& queue = controller.AddQueue<>(
        {.name = "test", .workers = 2},
        [&](Context& context, const ObjectKey& key) -> Result<runtime::Outcome> {
          if (key == victim) times.push_back(executor.clock().SteadyNow());
          executor.clock().SleepFor(kReconcileTakes);
          const bool fails = key == victim ? times.size() <= kFailuresOfVictim : crowd.fails;
          const std::string name = fails ? "absent" : "kube-root-ca.crt";
          FLYBALL_TRY(context.client().Dynamic(kConfigMaps).Get({"default", name}));
          return runtime::Outcome::Done();
        });
    SteadyTime added;
    executor.Start("test", [&] {
      const auto there = session.client().Dynamic(kConfigMaps);
      Json::Object metadata;
      metadata["name"] = "kube-root-ca.crt";
      metadata["namespace"] = "default";
      Json::Object object;
      object["metadata"] = std::move(metadata);
      EXPECT_TRUE(there.Create(object));
      for (int i = 0; i < crowd.keys; ++i) queue.Add({"crowd", std::to_string(i)});
      controller.Start();
      executor.clock().SleepFor(seconds(1));
      added = executor.clock().SteadyNow();
      queue.Add(victim);
      executor.clock().SleepFor(seconds(10));
      EXPECT_TRUE(controller.Stop(executor.clock().DeadlineAfter(seconds(60))));
    });
    const auto report = executor.RunFor(seconds(60));
    EXPECT_EQ(times.size(), kFailuresOfVictim + 1U) << report.Describe();
    std::vector<nanoseconds> since;
    for (const SteadyTime time : times) since.push_back(time - added);
    return since;
  }

  /// Each time by which it comes later is that of two reconciles at most.
  static void ExpectHardlyLater(const std::vector<nanoseconds>& beside,
                                const std::vector<nanoseconds>& alone) {
    ASSERT_EQ(beside.size(), alone.size());
    for (std::size_t i = 0; i < alone.size(); ++i) {
      EXPECT_LE(beside[i], alone[i] + (i + 1) * 2 * kReconcileTakes) << "reconcile " << i;
    }
  }
};

TEST_F(FairReconcilesTest, KeyIsReconciledInItsTurnBeside100000KeysOfAnotherNamespace) {
  ExpectHardlyLater(TimesBeside({.keys = 100'000}), TimesBeside({}));
}

TEST_F(FairReconcilesTest, KeyIsRetriedInTimeBeside50000FailingKeysOfAnotherNamespace) {
  ExpectHardlyLater(TimesBeside({.keys = 50'000, .fails = true}), TimesBeside({}));
}

}  // namespace
}  // namespace flyball::runtime

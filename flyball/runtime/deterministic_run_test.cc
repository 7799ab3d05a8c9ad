// Server, caches, controller and faults together: the same seed gives the same run, to the last
// switch between tasks and the last byte that is stored.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/base/deterministic_executor.h"
#include "flyball/runtime/controller.h"
#include "flyball/sandbox/faults.h"
#include "flyball/sandbox/sandbox.h"
#include "flyball/sandbox/write_journal.h"

namespace flyball::runtime {
namespace {

using namespace std::chrono_literals;
using api::ObjectKey;
using core::v1::ConfigMap;
using core::v1::Secret;
using sandbox::Requests;

/// All that a run leaves behind.
struct Record {
  std::vector<DeterministicExecutor::Step> trace;
  std::vector<std::string> writes;
  std::vector<std::string> stored;
  friend bool operator==(const Record&, const Record&) = default;
};

std::string ParentOf(const Secret& child) {
  const std::string* const parent = child.metadata.labels.find("parent");
  return parent == nullptr ? "" : *parent;
}

/// Sees to it that every config map has three secrets.
class Family {
 public:
  explicit Family(Controller& controller) {
    const auto parents = controller.Reads<ConfigMap>();
    const auto children = controller.Reads<Secret>();
    children.AddIndex("parent", [](const Secret& child, cache::IndexValues& values) {
      values.push_back(ParentOf(child));
    });
    auto& queue = controller.AddQueue<>(
        {.name = "families", .workers = 3},
        [lister = children.lister()](Context& context, const ObjectKey& key) -> Result<Outcome> {
          for (auto n = lister.ByIndex("parent", key.name).size(); n < 3; ++n) {
            FLYBALL_TRY(context.Create(ChildOf(key)));
          }
          return Outcome::RequeueAfter(5s);
        });
    controller.On<ConfigMap>(parents, {.added = [&queue](const auto& parent, bool) {
                               queue.Add(ObjectKey::Of(*parent));
                             }});
    controller.On<Secret>(children, {.deleted = [&queue](const auto& child, auto&&...) {
                            queue.Add({"default", ParentOf(*child)});
                          }});
  }

 private:
  static Secret ChildOf(const ObjectKey& parent) {
    Secret child;
    child.metadata.namespace_ = parent.namespace_;
    child.metadata.generateName = parent.name + "-";
    child.metadata.labels["parent"] = parent.name;
    return child;
  }
};

class QueueWorld {
 public:
  explicit QueueWorld(std::uint64_t seed)
      : executor_(seed),
        sandbox_({executor_, timers_}, {.seed = seed}),
        faults_(journal_, executor_, seed) {
    faults_.On(Requests::Writes()).WithProbability(0.1).LoseAnswer();
    faults_.On(Requests::Writes()).WithProbability(0.05).Refuse(500);
    faults_.On(Requests::Writes()).WithProbability(0.2).Delay(300ms);
    faults_.On(Requests::Lists()).WithProbability(0.2).Break();
    faults_.OnEvents(Requests::Watches()).WithProbability(0.3).Delay(1s);
    faults_.OnEvents(Requests::Watches()).WithProbability(0.05).Break();
  }

  Record Run() {
    bool done = false;
    executor_.Start("world", [&] {
      Live();
      done = true;
    });
    const auto report = executor_.RunFor(10min);
    EXPECT_TRUE(done) << report.Describe();
    return {executor_.trace(), journal_.lines(), Stored()};
  }

 private:
  void Live() {
    for (int i = 0; i < 5; ++i) {
      ConfigMap parent;
      parent.metadata.namespace_ = "default";
      parent.metadata.name = "parent-" + std::to_string(i);
      EXPECT_TRUE(sandbox_.client().Of<ConfigMap>().Create(parent));
    }
    informers_.Start();
    EXPECT_TRUE(informers_.WaitForSync({}));
    controller_.Start();
    executor_.clock().SleepFor(30s);
    faults_.ExpireHistory();
    EXPECT_TRUE(sandbox_.client().Of<Secret>().DeleteCollection("default"));
    executor_.clock().SleepFor(30s);
    faults_.LiftAll();
    executor_.clock().SleepFor(2min);
    EXPECT_TRUE(controller_.Stop(executor_.clock().DeadlineAfter(60s)));
    informers_.Stop();
  }

  std::vector<std::string> Stored() {
    std::vector<std::string> lines;
    const sandbox::Storage& storage = sandbox_.server().storage();
    for (const char* const collection : {"namespaces", "configmaps", "secrets"}) {
      const auto page = storage.List({.collection = collection, .after = {}});
      for (const sandbox::Entry& entry : page->entries) {
        lines.push_back(ToString(*entry.key) + " " + std::string(entry.object->bytes()));
      }
    }
    return lines;
  }

  DeterministicExecutor executor_;
  Timers timers_{executor_};
  sandbox::Sandbox sandbox_;
  sandbox::WriteJournal journal_{sandbox_.transport()};
  sandbox::Faults faults_;
  sandbox::Session session_{faults_, executor_.clock()};
  cache::InformerFactory informers_{
      {.client = session_.client(), .executor = executor_, .timers = timers_, .random = [] {
         return 0.5;
       }}};
  Controller controller_{"families",
                         {.client = session_.client(),
                          .informers = informers_,
                          .executor = executor_,
                          .timers = timers_}};
  Family family_{controller_};
};

Record Replay(std::uint64_t seed) { return QueueWorld(seed).Run(); }

TEST(DeterministicRun, TheSameSeedGivesTheSameRunOfServerCachesControllerAndFaults) {
  Record last;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Record once = Replay(seed);
    const Record again = Replay(seed);
    EXPECT_EQ(FormatTrace(once.trace), FormatTrace(again.trace)) << "seed " << seed;
    EXPECT_EQ(once.writes, again.writes) << "seed " << seed;
    EXPECT_EQ(once.stored, again.stored) << "seed " << seed;
    // Four namespaces, and five parents with three children each, however it came to that.
    EXPECT_EQ(once.stored.size(), 4U + 5U + 15U) << "seed " << seed;
    EXPECT_NE(once, last) << "seed " << seed;
    last = once;
  }
}

}  // namespace
}  // namespace flyball::runtime

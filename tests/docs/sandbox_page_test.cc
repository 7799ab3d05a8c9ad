// What docs/sandbox.md shows.
#include <gtest/gtest.h>

#include "flyball/api/core/v1.h"
#include "flyball/base/deterministic_executor.h"
#include "flyball/sandbox/faults.h"
#include "flyball/sandbox/sandbox.h"

namespace flyball {
namespace {

using sandbox::Fault;
using sandbox::Requests;

TEST(SandboxPage, AServerInALine) {
  core::v1::ConfigMap map;
  map.metadata.namespace_ = "default";
  map.metadata.name = "settings";

  sandbox::Sandbox sandbox;
  const auto created = sandbox.client().Of<core::v1::ConfigMap>().Create(map);

  ASSERT_TRUE(created) << created.error().Describe();
}

TEST(SandboxPage, FaultsAsSentences) {
  const std::uint64_t seed = 1;

  DeterministicExecutor executor(seed);
  Timers timers(executor);
  sandbox::Sandbox sandbox({executor, timers}, {.seed = seed});

  sandbox::Faults faults(sandbox.transport(), executor, seed);
  sandbox::Session session(faults, executor.clock());  // session.client() meets them

  faults.On(Requests::Writes().Of("pods")).Every(10).LoseAnswer();
  Fault held = faults.OnEvents(Requests::Watches().Of("pods")).Hold();
  held.Lift();

  EXPECT_EQ(faults.writes(), 0);
}

}  // namespace
}  // namespace flyball

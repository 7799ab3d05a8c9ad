#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "flyball/base/deterministic_executor.h"
#include "flyball/base/timers.h"
#include "flyball/cache/informer_factory.h"
#include "flyball/runtime/context.h"
#include "flyball/runtime/event_recorder_fake.h"
#include "flyball/transport/transport_fake.h"

namespace flyball::controllers {

/// For tests of what a reconcile costs: caches that a test fills itself, in which all is as it
/// should be, and a server that nobody has to ask.
class SettledCaches {
 protected:
  /// How long it takes, at best, to look at something and find nothing to do.
  template <typename Look>
  std::chrono::nanoseconds BestTimeOf(Look look, WallTime now = {}) {
    auto best = std::chrono::nanoseconds::max();
    for (int round = 0; round < 20; ++round) {
      constexpr int kTimes = 50;
      const SteadyTime start = clock_.SteadyNow();
      for (int i = 0; i < kTimes; ++i) {
        runtime::Context context({.client = client_, .events = events_, .now = now});
        look(context);
      }
      best = std::min<std::chrono::nanoseconds>(best, (clock_.SteadyNow() - start) / kTimes);
    }
    EXPECT_TRUE(transport_.requests().empty()) << "there was something left to do";
    return best;
  }

  RealClock clock_;
  DeterministicExecutor executor_{1};
  Timers timers_{executor_};
  transport::FakeTransport transport_{
      [](const auto&) { return transport::FakeTransport::Answer::Of(500, ""); }};
  client::RestClient rest_{{.transport = transport_, .clock = executor_.clock()}, {}};
  const client::Client client_{rest_};
  runtime::FakeEventRecorder events_;
  cache::InformerFactory informers_{
      {.client = client_, .executor = executor_, .timers = timers_, .random = [] { return 0.5; }}};
};

}  // namespace flyball::controllers

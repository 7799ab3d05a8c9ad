#include "benchmarks/managers/loads.h"

namespace flyball::bench {

using namespace std::chrono_literals;

Result<> RunNodes(Stage& stage, const Size& size) {
  FLYBALL_TRY(stage.StartManager());
  stage.clock().SleepFor(5s);  // what it writes on nodes that it sees for the first time
  stage.Note("start, all there");

  stage.Begin();
  stage.clock().SleepFor(size.each * 1s);
  stage.Note("heartbeats");
  return stage.StopManager();
}

}  // namespace flyball::bench

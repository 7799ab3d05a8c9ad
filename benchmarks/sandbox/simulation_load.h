#pragma once

#include <chrono>

#include "flyball/base/executor.h"
#include "flyball/base/result.h"
#include "flyball/client/client.h"

namespace flyball::bench {

struct SimulationLoad {
  int nodes = 1000;
  int pods = 10'000;
};

/// Simulated nodes and a scheduler on an API server where there is nothing: how long it takes until
/// the nodes are there and all pods on them are Ready.
Result<std::chrono::duration<double>> RunSimulation(const client::Client& client,
                                                    Executor& executor, const SimulationLoad& load);

}  // namespace flyball::bench

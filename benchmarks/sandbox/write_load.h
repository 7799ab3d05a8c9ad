#pragma once

#include <chrono>

#include "benchmarks/connection.h"
#include "flyball/base/result.h"

namespace flyball::bench {

/// What is written, and before whose eyes.
struct WriteLoad {
  int namespaces = 10;
  int watchers_each = 5;  ///< of a namespace: so many see each write
  int pods = 2000;        ///< each is created, and then updated
  std::size_t in_flight = 64;
};

struct WriteFigures {
  int writes = 0;
  /// From the first write until the last watcher has seen the last.
  std::chrono::duration<double> took = {};
};

/// Writes in namespaces of its own, whose names start with `prefix`. The watchers count what comes
/// and decode none of it: the less they need, the more is left for the server.
Result<WriteFigures> RunWrites(Connection& connection, const std::string& prefix,
                               const WriteLoad& load);

}  // namespace flyball::bench

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "flyball/base/executor.h"
#include "flyball/base/mutex.h"
#include "tests/cluster/observer.h"

namespace flyball::cluster {

/// Clients that create, change and delete config maps and pods at random, all at once and under the
/// same names, until they have done so many times. What fails is not counted: they meet each other,
/// and a server that is away.
class ChangeStorm {
 public:
  struct Options {
    std::vector<std::string> namespaces;
    int clients = 4;
    int changes = 2000;
    int names = 100;  ///< of each kind in each namespace
    std::uint64_t seed = 1;
  };

  ChangeStorm(ControlPlane& plane, Executor& executor, transport::Network& network,
              Options options);
  /// Ends it, finished or not.
  ~ChangeStorm();

  int changes() const { return changes_; }
  bool Over() const { return changes_ >= options_.changes; }
  /// Returns when this many changes have been made since the start, or all.
  void WaitFor(int changes);

 private:
  class Writer;

  Executor& executor_;
  const Options options_;
  std::atomic<int> changes_ = 0;
  std::atomic<bool> stop_ = false;
  std::vector<std::unique_ptr<Connection>> connections_;

  Mutex mutex_;
  CondVar ended_;
  int writing_ FLYBALL_GUARDED_BY(mutex_) = 0;
};

}  // namespace flyball::cluster

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
/// same names, as often as they are allowed to. What fails is not counted: they meet each other,
/// and a server that is away.
class ChangeStorm {
 public:
  struct Options {
    std::vector<std::string> namespaces;
    int clients = 4;
    int names = 100;  ///< of each kind in each namespace
    std::uint64_t seed = 1;
  };

  ChangeStorm(ControlPlane& plane, Executor& executor, transport::Network& network,
              Options options);
  /// Ends it, at rest or not.
  ~ChangeStorm();

  /// So many changes more. They rest in between, so that a test decides what happens during which,
  /// however quick the server is.
  void Allow(int changes) { allowed_ += changes; }
  /// Whether all that were allowed have been made.
  bool AtRest() const { return changes_ >= allowed_; }
  void WaitForRest() const;

 private:
  class Writer;

  Executor& executor_;
  const Options options_;
  std::atomic<int> allowed_ = 0;
  std::atomic<int> changes_ = 0;
  std::atomic<bool> stop_ = false;
  std::vector<std::unique_ptr<Connection>> connections_;

  Mutex mutex_;
  CondVar ended_;
  int writing_ FLYBALL_GUARDED_BY(mutex_) = 0;
};

}  // namespace flyball::cluster

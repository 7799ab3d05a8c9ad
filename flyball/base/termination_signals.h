#pragma once

#include <functional>
#include <memory>

#include "flyball/base/executor.h"

namespace flyball {

/// SIGTERM and SIGINT as a request to end in order. Who asks twice means it: the second ends the
/// process at once, with status 1.
///
/// To be made in main() before there are other threads, which inherit that the signals are held
/// back. Signals that come before Watch() are kept.
class TerminationSignals {
 public:
  TerminationSignals();
  /// Nothing is called any more. Signals stay held back.
  ~TerminationSignals();
  TerminationSignals(const TerminationSignals&) = delete;
  TerminationSignals& operator=(const TerminationSignals&) = delete;

  /// Calls `asked` with the first signal, on a task. Once. The executor, which must be one of real
  /// threads, must outlive this.
  void Watch(Executor& executor, std::function<void(int signal)> asked);

 private:
  class Watcher;

  const std::shared_ptr<Watcher> watcher_;
};

}  // namespace flyball

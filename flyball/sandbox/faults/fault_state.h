#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "flyball/base/clock.h"
#include "flyball/base/executor.h"
#include "flyball/base/mutex.h"
#include "flyball/sandbox/faults/rule.h"
#include "flyball/transport/transport.h"

namespace flyball::sandbox {

class FaultyExchange;

/// What all requests through a Faults share: the rules, the dice, whether the world is stopped, and
/// the requests that are under way. These may outlive the Faults. Any thread.
class FaultState {
 public:
  FaultState(transport::Transport& next, Executor& executor, std::uint64_t seed)
      : next_(next), executor_(executor), dice_(seed) {}

  Executor& executor() const { return executor_; }
  Clock& clock() const { return executor_.clock(); }

  void Add(RulePtr rule);
  void LiftAll();
  /// Counts a request, and returns the faults that it meets.
  FaultEffect EffectOf(const Asked& asked);
  EventFaultEffect EventEffectOf(const Asked& asked);

  void Enter(const std::shared_ptr<FaultyExchange>& faulty_exchange);
  /// Those that are under way, in the order in which they came.
  std::vector<std::shared_ptr<FaultyExchange>> FaultyExchanges() const;
  /// Has them look again at what they may do.
  void WakeAll() const;

  /// Null if the world has ended.
  std::shared_ptr<transport::Exchange> Send(transport::Request request,
                                            std::shared_ptr<transport::ResponseHandler> handler);

  void Expire();
  void Stop();
  void StopAfterWrites(int writes);
  void Resume();
  bool stopped() const { return stopped_; }
  bool WaitUntilStopped(SteadyTime deadline);
  void CountWrite();
  int writes() const;

  /// The server is not asked any more when this returns.
  void End();

 private:
  class Sending;
  static std::string PlaceOf(const Asked& asked);

  transport::Transport& next_;
  Executor& executor_;
  std::atomic<bool> stopped_ = false;  // changed with mutex_ held

  mutable Mutex mutex_;
  mutable CondVar changed_;
  std::mt19937_64 dice_ FLYBALL_GUARDED_BY(mutex_);
  std::vector<RulePtr> rules_ FLYBALL_GUARDED_BY(mutex_);
  std::vector<std::weak_ptr<FaultyExchange>> faulty_exchanges_ FLYBALL_GUARDED_BY(mutex_);
  int writes_ FLYBALL_GUARDED_BY(mutex_) = 0;
  int stop_at_ FLYBALL_GUARDED_BY(mutex_) = 0;  // so many writes; zero: at none
  bool history_expired_ FLYBALL_GUARDED_BY(mutex_) = false;
  std::set<std::string> listed_since_ FLYBALL_GUARDED_BY(mutex_);  // places, and who
  int sending_ FLYBALL_GUARDED_BY(mutex_) = 0;
  bool ended_ FLYBALL_GUARDED_BY(mutex_) = false;
};

}  // namespace flyball::sandbox

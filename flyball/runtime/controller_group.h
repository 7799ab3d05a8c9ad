#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "flyball/api/names.h"
#include "flyball/base/executor.h"
#include "flyball/base/logging.h"
#include "flyball/base/mutex.h"
#include "flyball/cache/informer_factory.h"
#include "flyball/runtime/client_identity.h"
#include "flyball/runtime/controller.h"

namespace flyball::runtime {

/// Controllers that run together on the same caches. Each starts when what it reads is there: so
/// one kind that cannot be read holds up those who need it, and nobody else.
///
/// Filled, started and stopped by one thread, once each; the reports are for any, once it runs.
class ControllerGroup {
 public:
  struct Deps {
    Executor& executor;
    cache::InformerFactory& informers;
    api::RandomBits random;  ///< for any thread
    /// A controller begins or ceases to run.
    std::function<void(std::string_view controller, bool running)> running = {};
    Logger log = {};
  };

  /// Before a controller starts, once to twice the interval passes.
  explicit ControllerGroup(Deps deps, std::chrono::nanoseconds start_interval = {});
  /// Stops, however long that takes.
  ~ControllerGroup();

  /// `identity` is what the controller writes as; null where others share it.
  void Add(std::unique_ptr<Controller> controller, std::unique_ptr<ClientIdentity> identity);

  /// Starts the caches, and has the controllers follow. Returns at once.
  void Start();
  /// Asks all to end. False if some have not by the deadline; they are in the log.
  [[nodiscard]] bool Stop(SteadyTime deadline);

  /// Those that were added; none before Start(). Any thread.
  std::vector<const Controller*> Controllers() const;

 private:
  struct Member {
    std::unique_ptr<ClientIdentity> identity;
    std::unique_ptr<Controller> controller;
  };

  void StartWhenReady(Controller& controller);
  void Tell(const Controller& controller, bool running) const;

  const Deps deps_;
  const std::chrono::nanoseconds start_interval_;
  std::vector<Member> members_;
  std::stop_source stop_;

  mutable Mutex mutex_;
  CondVar started_;
  bool built_ FLYBALL_GUARDED_BY(mutex_) = false;        // from here on members_ stays as it is
  std::size_t starting_ FLYBALL_GUARDED_BY(mutex_) = 0;  // tasks that wait for what is to be there
};

}  // namespace flyball::runtime

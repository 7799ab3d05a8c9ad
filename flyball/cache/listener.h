#pragma once

#include <functional>
#include <memory>
#include <string>

#include "flyball/base/executor.h"
#include "flyball/base/logging.h"
#include "flyball/base/mutex.h"
#include "flyball/cache/delta_queue.h"
#include "flyball/cache/dispatcher.h"

namespace flyball::cache {

/// Called with one change after the other. Kinds are those of Delta but kInitialEnd.
using DeltaHandler = std::function<void(const Delta&)>;

/// How changes reach a handler.
enum class Delivery : std::uint8_t {
  /// On a task that other handlers need not wait for: the handler may block.
  kAsync,
  /// On the thread that reads the changes, between two of them. For handlers that do nothing but
  /// put a key into a queue: they must not block, and must not ask anything of the informer. The
  /// thread is mostly the network's, so one that waited for an answer would wait for ever.
  kInline,
};

/// One who follows the changes of a collection.
class Listener {
 public:
  virtual ~Listener() = default;
  /// By one thread at a time.
  virtual void Notify(Delta delta) = 0;
  /// Whether it has been notified of all objects that were there at the start.
  virtual bool synced() const = 0;
  /// How many changes it has yet to see.
  virtual std::size_t behind() const = 0;
  /// No call of the handler begins after this, and none is under way. Not from within the handler.
  virtual void Stop() = 0;

  struct Deps {
    Executor& executor;
    const ObjectAccessor& accessor;
    Logger log;
    std::shared_ptr<Dispatcher> dispatcher;
    std::function<void()> on_synced;  ///< called once, when synced() has become true
  };
  static std::shared_ptr<Listener> Make(Delivery delivery, std::string name, DeltaHandler handler,
                                        Deps deps);
};

}  // namespace flyball::cache

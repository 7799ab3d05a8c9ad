#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "flyball/base/executor.h"
#include "flyball/base/mutex.h"
#include "flyball/sandbox/record.h"
#include "flyball/sandbox/representation.h"

namespace flyball::sandbox {

/// The frames of events that several watches send: each is made once. Not thread-safe.
class WatchFrames {
 public:
  /// Valid until the next call.
  const std::string& Event(const Presenter& presenter, std::string_view type,
                           const RecordPtr& record);
  void Clear();

 private:
  struct Key {
    RecordPtr record;
    const Kind* kind;  ///< in whose version it is shown
    Representation representation;
    std::string_view type;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };

  std::unordered_map<Key, std::string, KeyHash> frames_;
  std::size_t bytes_ = 0;
  std::string last_;  // of those that are nobody else's
};

/// Gives watches their turns to send, one after the other in one task: a write that fifty of them
/// see wakes one thread and not fifty, and what they send is encoded once. The turns are short, so
/// that one with much to send does not hold up the others. Any thread; shared with the task.
class WatchTurns : public std::enable_shared_from_this<WatchTurns> {
 public:
  /// Who takes turns.
  class Taker {
   public:
    virtual ~Taker() = default;
    /// Whether it needs another.
    virtual bool TakeTurn(WatchFrames& frames) = 0;
    /// It will have none: the task was dropped or unwound, as in a deterministic run that is
    /// abandoned.
    virtual void LoseTurn() = 0;
  };

  explicit WatchTurns(Executor& executor) : executor_(executor) {}

  void Add(std::shared_ptr<Taker> taker) FLYBALL_EXCLUDES(mutex_);

 private:
  class Shift;

  void Run() FLYBALL_EXCLUDES(mutex_);
  std::shared_ptr<Taker> Next() FLYBALL_EXCLUDES(mutex_);
  void DropAll() FLYBALL_EXCLUDES(mutex_);

  Executor& executor_;
  WatchFrames frames_;  // the task's

  Mutex mutex_;
  std::shared_ptr<Taker> current_ FLYBALL_GUARDED_BY(mutex_);  // who has the turn
  std::deque<std::shared_ptr<Taker>> waiting_ FLYBALL_GUARDED_BY(mutex_);
  bool running_ FLYBALL_GUARDED_BY(mutex_) = false;
};

}  // namespace flyball::sandbox

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
#include "flyball/sandbox/response_encoder.h"

namespace flyball::sandbox {

/// The frames of events that several watches send: each is made once. Not thread-safe.
class WatchFrames {
 public:
  /// Valid until the next call.
  const std::string& Event(const ResponseEncoder& encoder, std::string_view type,
                           const RecordPtr& record);
  void Clear();

 private:
  struct Key {
    RecordPtr record;
    const Kind* kind;  ///< in whose version it is shown
    NegotiatedMediaType media_type;
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

/// Has watches send their events, one after the other in one task: a write that fifty watches see
/// wakes one thread and not fifty, and its event is encoded once. A watch sends little at a time,
/// so that one with much to send does not hold up the others. Any thread; shared with the task.
class WatchFanout : public std::enable_shared_from_this<WatchFanout> {
 public:
  /// A watch that has something to send.
  class Subscriber {
   public:
    virtual ~Subscriber() = default;
    /// Sends some of it. Whether there is more.
    virtual bool SendPart(WatchFrames& frames) = 0;
    /// SendPart() will not be called: the task was dropped or unwound, as in a deterministic run
    /// that is abandoned.
    virtual void OnDropped() = 0;
  };

  explicit WatchFanout(Executor& executor) : executor_(executor) {}

  void Add(std::shared_ptr<Subscriber> subscriber) FLYBALL_EXCLUDES(mutex_);

 private:
  class Shift;

  void Run() FLYBALL_EXCLUDES(mutex_);
  std::shared_ptr<Subscriber> Next() FLYBALL_EXCLUDES(mutex_);
  void DropAll() FLYBALL_EXCLUDES(mutex_);

  Executor& executor_;
  WatchFrames frames_;  // the task's

  Mutex mutex_;
  std::shared_ptr<Subscriber> current_ FLYBALL_GUARDED_BY(mutex_);  // who is sending
  std::deque<std::shared_ptr<Subscriber>> waiting_ FLYBALL_GUARDED_BY(mutex_);
  bool running_ FLYBALL_GUARDED_BY(mutex_) = false;
};

}  // namespace flyball::sandbox
